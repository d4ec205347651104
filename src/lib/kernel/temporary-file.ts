// Temporary files: their names, and the removal of those that a killed process left behind.
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from './clock.ts';
import { host } from './host.ts';

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
