// Checks a private file before it is read or written: it must belong to the user and must not be a symlink.
import { closeSync, fsyncSync, lstatSync, openSync, type Stats } from 'node:fs';
import { KnownError, isAbsent } from './errors.ts';
import type { cannotRead } from './file-failure.ts';
import { host } from './host.ts';

export const PRIVATE_FILE = 0o600;

/** The file's stats, or undefined without a file. Throws KnownError (1) for a symlink and for another user's file. */
export function assertPrivate(path: string, failure: typeof cannotRead): Stats | undefined {
  let stat: Stats | undefined;
  try {
    stat = lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw failure(path, error);
  }
  if (!stat) return undefined;
  if (stat.isSymbolicLink()) {
    throw new KnownError({
      code: 'files.symlink',
      message: `${path} is a symbolic link, which is not allowed for a private file.`,
      hint: 'Remove the link, or set the CDPADM_*_DIR variables to the real folder.',
    });
  }
  assertOwn(path, stat);
  return stat;
}

/** Throws KnownError (1) when the file belongs to another user. */
export function assertOwn(path: string, stat: Stats): void {
  const uid = host.uid();
  if (uid === undefined || stat.uid === uid) return;
  throw new KnownError({
    code: 'files.foreign',
    message: `${path} belongs to another user and cannot be used for private data.`,
    hint: 'Change its owner, or set other folders with CDPADM_CONFIG_DIR, CDPADM_STATE_DIR, CDPADM_CACHE_DIR and CDPADM_DATA_DIR.',
  });
}

/** Flushes the folder's entries to the disk, if the system can. */
export function syncFolder(path: string): void {
  // Windows and some network file systems cannot open a folder.
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch {
    return;
  }
  try {
    fsyncSync(descriptor);
  } catch {
    // see above
  } finally {
    closeSync(descriptor);
  }
}
