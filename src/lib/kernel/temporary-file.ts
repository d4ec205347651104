// Creates folders and temporary files, and removes the temporary files of killed processes.
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { systemClock } from './clock.ts';
import { host } from './host.ts';
import { systemErrorCode } from './errors.ts';

/** In a shared folder, an unknown process may run on another machine. */
const LEFT_BEHIND_MS = 60_000;
const NAME = /^\.cdpadm-(\d+)-[a-z0-9]+\.tmp$/;

/** A unique word, not a secret: `node:crypto` would cost 2.6 ms at each start. */
export function uniqueWord(): string {
  const parts = [systemClock.now(), host.pid, Math.random() * 2 ** 53, Math.random() * 2 ** 53];
  return parts.map((part) => Math.floor(part).toString(36)).join('');
}

/** A path in `folder` for a file that is soon renamed or removed. Open it with `wx`. */
export function temporaryPath(folder: string): string {
  return join(folder, `.cdpadm-${host.pid}-${uniqueWord()}.tmp`);
}

/** Removes temporary files of ended processes. Ignores errors: a later call may succeed. */
export function sweepTemporaryFiles(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const pid = NAME.exec(name)?.[1];
      if (pid === undefined || host.isAlive(Number(pid))) continue;
      const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
      if (stat && systemClock.now() - stat.mtimeMs > LEFT_BEHIND_MS) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // A later call may succeed.
  }
}

/**
 * Creates the folder and its missing parents with `mode` (less the umask). Throws the system's error. Node's `recursive`
 * never ends where a folder reports ENOENT for a new entry, as in /proc.
 */
export function makeFolder(path: string, mode?: number): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at);
  // An existing path may be a file: the system reports that.
  for (const folder of missing.length > 0 ? missing : [path]) {
    try {
      mkdirSync(folder, mode);
    } catch (error) {
      // Another process may have created it first.
      if (systemErrorCode(error) !== 'EEXIST' || !isFolder(folder)) throw error;
    }
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
