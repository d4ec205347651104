// Making a folder with its parents, one level at a time.
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemErrorCode } from './errors.ts';

/**
 * Makes the folder and those above it that are missing, with `mode` (less the umask). Throws the system's error. Node's own
 * `recursive` tries for ever where a folder says ENOENT to what is made in it, as those of /proc do.
 */
export function makeFolder(path: string, mode?: number): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at);
  // What is there already may be a file: the system says so.
  for (const folder of missing.length > 0 ? missing : [path]) {
    try {
      mkdirSync(folder, mode);
    } catch (error) {
      // Another process may have been faster.
      if (systemErrorCode(error) !== 'EEXIST' || !isFolder(folder)) throw error;
    }
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
