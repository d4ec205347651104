// Folders and temporary files: their making, and the removal of those that a killed process left behind.
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { systemClock } from './clock.ts';
import { host } from './host.ts';
import { systemErrorCode } from './errors.ts';

/** On a folder that machines share, a process that is unknown here may be at work elsewhere. */
const LEFT_BEHIND_MS = 60_000;
const NAME = /^\.cdpadm-(\d+)-[a-z0-9]+\.tmp$/;

/** A word that no other process or moment has. It is not a secret: `node:crypto` would cost each start 2.6 ms. */
export function uniqueWord(): string {
  const parts = [systemClock.now(), host.pid, Math.random() * 2 ** 53, Math.random() * 2 ** 53];
  return parts.map((part) => Math.floor(part).toString(36)).join('');
}

/** A path in `folder` for a file that will be renamed or removed at once. Open it with `wx`. */
export function temporaryPath(folder: string): string {
  return join(folder, `.cdpadm-${host.pid}-${uniqueWord()}.tmp`);
}

/** Removes temporary files whose process is gone. Never fails: what cannot be removed now may be later. */
export function sweepTemporaryFiles(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const pid = NAME.exec(name)?.[1];
      if (pid === undefined || host.isAlive(Number(pid))) continue;
      const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
      if (stat && systemClock.now() - stat.mtimeMs > LEFT_BEHIND_MS) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // see above
  }
}

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
