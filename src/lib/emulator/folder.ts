// A platform's data folder, which one process owns. A killed process no longer owns it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateFolder } from '../kernel/durable.ts';
import { KnownError } from '../kernel/errors.ts';
import { readHolder, tryLock } from '../kernel/lock.ts';

export type OwnedFolder = ReturnType<typeof ownFolder>;

/** Locks the folder, creating it if necessary. Throws KnownError (conflict) while another process owns it. */
export function ownFolder(folder: string) {
  ensurePrivateFolder(folder);
  const lockFile = join(folder, 'emulator.lock');
  const lock = tryLock(lockFile);
  if (!lock) {
    const pid = readHolder(lockFile)?.pid;
    throw new KnownError({
      code: 'emulator.running',
      message: `An embedded platform already uses ${folder}${pid === undefined ? '' : ` (process ${pid})`}.`,
      hint: 'Use that platform, stop it, or choose another folder.',
      details: { folder, pid },
    });
  }
  const databasePath = join(folder, 'platform.db');
  // The driver's own lock is a folder. A killed process leaves it behind; it is stale, because we own the data folder.
  rmSync(`${databasePath}.lock`, { recursive: true, force: true });
  return { path: folder, databasePath, release: lock.release };
}
