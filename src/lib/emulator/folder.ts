// The data folder of a platform: one process owns it, says how it can be reached, and leaves nothing stuck when killed.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateFolder, readPrivateFile, removeFile } from '../kernel/durable.ts';
import { KnownError } from '../kernel/errors.ts';
import { host } from '../kernel/host.ts';
import { readHolder, tryLock } from '../kernel/lock.ts';

export type OwnedFolder = ReturnType<typeof ownFolder>;

/** The process that owns a folder, and its port once it listens. */
export interface FolderOwner {
  pid: number;
  port?: number;
}

/** Takes the folder (made when it is not there). Throws KnownError (conflict) while a living process has it. */
export function ownFolder(folder: string) {
  ensurePrivateFolder(folder);
  const lock = tryLock(lockFile(folder));
  if (!lock) throw taken(folder);
  const databasePath = join(folder, 'platform.db');
  // The driver's own lock is a folder that a killed process leaves behind. We own the place, so it is nobody's.
  rmSync(`${databasePath}.lock`, { recursive: true, force: true });
  return {
    path: folder,
    databasePath,
    /** Tells other processes on which port the platform listens. */
    announce: (port: number): void => {
      // Whole or not at all, but without a sync to the disk: it is worth nothing after this process.
      const temporary = `${announcement(folder)}.new`;
      writeFileSync(temporary, JSON.stringify({ pid: host.pid, port } satisfies FolderOwner), { mode: 0o600 });
      renameSync(temporary, announcement(folder));
    },
    release: (): void => {
      removeFile(announcement(folder));
      lock.release();
    },
  };
}

/** The living process that owns `folder`, or undefined. */
export function findOwner(folder: string): FolderOwner | undefined {
  const pid = readHolder(lockFile(folder))?.pid;
  if (pid === undefined || !host.isAlive(pid)) return undefined;
  const text = readPrivateFile(announcement(folder));
  const announced = text === undefined ? undefined : parseAnnouncement(text);
  // The announcement of a killed process stands until the next owner writes its own.
  return announced?.pid === pid ? announced : { pid };
}

/** It was not synced to the disk: after a loss of power anything may stand there. */
function parseAnnouncement(text: string): FolderOwner | undefined {
  try {
    return JSON.parse(text) as FolderOwner;
  } catch {
    return undefined;
  }
}

function taken(folder: string): KnownError {
  const owner = findOwner(folder);
  const port = owner?.port === undefined ? '' : `, port ${owner.port}`;
  return new KnownError({
    code: 'emulator.running',
    message: `An embedded platform already runs on ${folder}${owner ? ` (process ${owner.pid}${port})` : ''}.`,
    hint: 'Use that one, stop it, or choose another folder.',
    details: { folder, ...owner },
  });
}

const lockFile = (folder: string): string => join(folder, 'emulator.lock');
const announcement = (folder: string): string => join(folder, 'running.json');
