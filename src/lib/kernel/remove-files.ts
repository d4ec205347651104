// Removes many files.
import { unlink } from 'node:fs/promises';
import { isAbsent } from './errors.ts';
import { cannotWrite } from './file-failure.ts';

/** Removes files in parallel, because a busy disk takes milliseconds for each. Calls `removed` after each file. */
export async function removeFiles(paths: readonly string[], signal: AbortSignal, removed: () => void): Promise<void> {
  const left = paths.values();
  const remove = async (): Promise<void> => {
    for (const path of left) {
      signal.throwIfAborted();
      await unlink(path).catch((error: unknown) => {
        if (!isAbsent(error)) throw cannotWrite(path, error);
      });
      removed();
    }
  };
  await Promise.all(Array.from({ length: 16 }, remove));
}
