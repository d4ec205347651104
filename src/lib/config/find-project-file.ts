// Finds the project file without reading it.
import { existsSync, lstatSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILE_NAME = '.cdpadm.yaml';

/**
 * Searches from `cwd` upward to the root of its repository (the folder with `.git`) or to `home`. Outside of both, only
 * `cwd` is searched, because other users can write to a folder such as /tmp. A broken link counts as a project file, so
 * that reading it fails.
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

/** Undefined if nothing is there, or if the folder cannot be read. */
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
