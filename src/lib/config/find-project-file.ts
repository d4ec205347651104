// Where the project file is: found without reading it, or anything else.
import { existsSync, lstatSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILE_NAME = '.cdpadm.yaml';

/**
 * Finds the file from `cwd` upward to the root of its repository (the folder with `.git`) or to `home`. Outside of
 * both only `cwd` itself is looked at: a folder such as /tmp belongs to others too. A link that leads nowhere is found:
 * what the file says is not known then, which is not the same as nothing.
 */
export function findProjectFile(cwd: string, home: string): string | undefined {
  for (const folder of foldersUpward(cwd, home)) {
    const file = join(folder, FILE_NAME);
    const entry = entryAt(file);
    if (entry === undefined) continue;
    if (entry.isFile() || (entry.isSymbolicLink() && !leadsToFolder(file))) return file;
  }
  return undefined;
}

/** Undefined too for what may not be looked at, such as a folder further up. */
function entryAt(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function leadsToFolder(link: string): boolean {
  try {
    return statSync(link).isDirectory();
  } catch {
    return false;
  }
}

function foldersUpward(cwd: string, home: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === home || existsSync(join(folder, '.git'))) return folders;
    if (folder === dirname(folder)) return [cwd];
  }
}
