// Where the project file is: found without reading it, or anything else.
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILE_NAME = '.cdpadm.yaml';

/**
 * Finds the file from `cwd` upward to the root of its repository (the folder with `.git`) or to `home`. Outside of
 * both only `cwd` itself is looked at: a folder such as /tmp belongs to others too.
 */
export function findProjectFile(cwd: string, home: string): string | undefined {
  for (const folder of foldersUpward(cwd, home)) {
    const file = join(folder, FILE_NAME);
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
  }
  return undefined;
}

function foldersUpward(cwd: string, home: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === home || existsSync(join(folder, '.git'))) return folders;
    if (folder === dirname(folder)) return [cwd];
  }
}
