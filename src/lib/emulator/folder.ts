// A platform's data folder: one process owns it and announces its port. A killed process no longer owns it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateFolder, readPrivateFile, removeFile, writePrivateFile } from '../kernel/durable.ts';
import { KnownError } from '../kernel/errors.ts';
import { host } from '../kernel/host.ts';
import { isAlive, readHolder, tryLock } from '../kernel/lock.ts';
import { readRecord } from '../kernel/json.ts';

export type OwnedFolder = ReturnType<typeof ownFolder>;

/** Process that owns a folder; `port` is set once the process listens. */
export interface FolderOwner {
  pid: number;
  port?: number;
}

/** Locks the folder, creating it if necessary. Throws KnownError (conflict) while another process owns it. */
export function ownFolder(folder: string) {
  ensurePrivateFolder(folder);
  const lock = tryLock(lockFile(folder));
  if (!lock) throw taken(folder);
  const databasePath = join(folder, 'platform.db');
  // The driver's own lock is a folder. A killed process leaves it behind; it is stale, because we own the data folder.
  rmSync(`${databasePath}.lock`, { recursive: true, force: true });
  return {
    path: folder,
    databasePath,
    /** Publishes the port for other processes. */
    announce: (port: number): void =>
      writePrivateFile(announcement(folder), JSON.stringify({ pid: host.pid, port } satisfies FolderOwner)),
    release: (): void => {
      removeFile(announcement(folder));
      lock.release();
    },
  };
}

/** Returns the running process that owns `folder`; undefined if there is none. */
export function findOwner(folder: string): FolderOwner | undefined {
  const holder = readHolder(lockFile(folder));
  if (!holder || !isAlive(holder)) return undefined;
  const { pid } = holder;
  // The file is not synced to disk, so it may contain anything after a power failure.
  const announced = readRecord<FolderOwner>(readPrivateFile(announcement(folder)));
  // The announcement of a killed process remains until the next owner writes one.
  return { ...(announced?.pid === pid && announced), pid };
}

function taken(folder: string): KnownError {
  const owner = findOwner(folder);
  const port = owner?.port === undefined ? '' : `, port ${owner.port}`;
  return new KnownError({
    code: 'emulator.running',
    message: `An embedded platform already uses ${folder}${owner ? ` (process ${owner.pid}${port})` : ''}.`,
    hint: 'Use that platform, stop it, or choose another folder.',
    details: { folder, ...owner },
  });
}

const lockFile = (folder: string): string => join(folder, 'emulator.lock');
const announcement = (folder: string): string => join(folder, 'running.json');
