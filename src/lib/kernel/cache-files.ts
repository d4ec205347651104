// Files that only save work, such as cached tokens. If a file cannot be stored on disk, its text is kept in memory.
import * as fs from 'node:fs';
import type { Clock } from './clock.ts';
import { readPrivateFile, writePrivateFile } from './durable.ts';
import { KnownError, writing } from './errors.ts';
import { acquireLock } from './lock.ts';

/** Codes of the errors that are tolerated: failed reads and writes, but not symlinks or another user's files. */
const UNUSABLE = ['files.read', 'files.write'];

export type CacheFiles = ReturnType<typeof createCacheFiles>;

export function createCacheFiles(onUnusable: (error: KnownError) => void) {
  const memory = new Map<string, string>();

  /** Rethrows an error that was not caused by an unusable file. */
  function failed(error: unknown): undefined {
    if (!(error instanceof KnownError && UNUSABLE.includes(error.code))) throw error;
    onUnusable(error);
  }

  function guarded<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      return failed(error);
    }
  }

  async function attempt<T>(work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      return failed(error);
    }
  }

  function store(path: string, text: string, save: () => void): void {
    memory.set(path, text);
    guarded(() => {
      save();
      memory.delete(path);
    });
  }

  return {
    /** Runs `work`. Returns undefined if a file cannot be read or written, and rethrows any other error. */
    attempt,
    read: (path: string): string | undefined => memory.get(path) ?? guarded(() => readPrivateFile(path)),
    write: (path: string, text: string): void => store(path, text, () => writePrivateFile(path, text)),
    /** Overwrites text of a fixed length without waiting for the disk. A kill leaves either the old or the new text. */
    overwrite: (path: string, text: string): void => store(path, text, () => overwriteFile(path, text)),
    /** Runs `work` under a lock, or without one if the lock file cannot be created. `work` must be safe either way. */
    locked: async <T>(path: string, clock: Clock, work: () => T | Promise<T>, signal: AbortSignal): Promise<T> => {
      const lock = await attempt(() => acquireLock(path, clock, signal));
      try {
        return await work();
      } finally {
        lock?.release();
      }
    },
  };
}

/** Overwrites a file of the same length in place, without waiting for the disk. Replaces any other file. */
export function overwriteFile(path: string, text: string): void {
  writing(path, () => {
    if (fs.statSync(path, { throwIfNoEntry: false })?.size !== Buffer.byteLength(text)) {
      writePrivateFile(path, text);
      return;
    }
    const descriptor = fs.openSync(path, 'r+');
    try {
      fs.writeSync(descriptor, text, 0);
    } finally {
      fs.closeSync(descriptor);
    }
  });
}
