// The data folder of a platform: one process owns it, says how it can be reached, and leaves nothing stuck when killed.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateFolder, readPrivateFile, removeFile } from '../kernel/durable.ts';
import { CliError, EXIT } from '../kernel/errors.ts';
import { host } from '../kernel/host.ts';
import { readHolder, tryLock } from '../kernel/lock.ts';
import type { EmulatorReady } from './ready.ts';

export interface OwnedFolder {
  databasePath: string;
  /** Tells other processes where the platform can be reached. */
  announce(ready: EmulatorReady): void;
  release(): void;
}

/** A platform that owns a folder. */
export interface RunningEmulator {
  pid: number;
  ready: EmulatorReady;
}

/** Takes the folder (made when it is not there). Throws CliError (conflict) while a living process has it. */
export function ownFolder(folder: string): OwnedFolder {
  ensurePrivateFolder(folder);
  const lock = tryLock(lockFile(folder));
  if (!lock) throw taken(folder);
  const databasePath = join(folder, 'platform.db');
  // The driver's own lock is a folder that a killed process leaves behind. We own the place, so it is nobody's.
  rmSync(`${databasePath}.lock`, { recursive: true, force: true });
  return {
    databasePath,
    announce: (ready) => {
      const text = JSON.stringify({ pid: host.pid, ready } satisfies RunningEmulator);
      // Whole or not at all, but without a sync to the disk: it is worth nothing after this process.
      const temporary = `${announcement(folder)}.new`;
      writeFileSync(temporary, text, { mode: 0o600 });
      renameSync(temporary, announcement(folder));
    },
    release: () => {
      removeFile(announcement(folder));
      lock.release();
    },
  };
}

/** The platform that owns `folder` and can be reached, or undefined: none, or one that is only just starting. */
export function findRunning(folder: string): RunningEmulator | undefined {
  const owner = readHolder(lockFile(folder));
  const text = owner && readPrivateFile(announcement(folder));
  if (text === undefined) return undefined;
  const running = JSON.parse(text) as RunningEmulator;
  // The announcement of a killed process stands until the next owner writes its own.
  return running.pid === owner?.pid && host.isAlive(running.pid) ? running : undefined;
}

function taken(folder: string): CliError {
  const pid = readHolder(lockFile(folder))?.pid;
  const url = findRunning(folder)?.ready.base_url;
  const port = url === undefined ? undefined : Number(new URL(url).port);
  const who = [pid !== undefined && `process ${pid}`, port !== undefined && `port ${port}`].filter(Boolean).join(', ');
  return new CliError({
    code: 'emulator.running',
    message: `An embedded platform already runs on ${folder}${who === '' ? '' : ` (${who})`}.`,
    hint: 'Use that one, stop it, or choose another folder with --data.',
    exit: EXIT.conflict,
    details: { folder, ...(pid !== undefined && { pid }), ...(port !== undefined && { port }) },
  });
}

const lockFile = (folder: string): string => join(folder, 'emulator.lock');
const announcement = (folder: string): string => join(folder, 'running.json');
