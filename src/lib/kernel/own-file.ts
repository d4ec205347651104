// What a private file has to be before it is read or written: the user's own, and no link to elsewhere.
import { closeSync, fsyncSync, lstatSync, openSync, type Stats } from 'node:fs';
import { KnownError, isAbsent } from './errors.ts';
import type { cannotRead } from './file-failure.ts';
import { host } from './host.ts';

export const PRIVATE_FILE = 0o600;

/** What stands there, undefined when nothing does. Throws KnownError (1) for a symlink and for another user's file. */
export function refuseForeign(path: string, failure: typeof cannotRead): Stats | undefined {
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
      message: `${path} is a symbolic link; a private file is never read or written through one.`,
      hint: 'Remove the link, or point the CDPADM_*_DIR variables at the real folder.',
    });
  }
  assertOwn(path, stat);
  return stat;
}

/** Throws KnownError (1) when it belongs to another user. */
export function assertOwn(path: string, stat: Stats): void {
  const uid = host.uid();
  if (uid === undefined || stat.uid === uid) return;
  throw new KnownError({
    code: 'files.foreign',
    message: `${path} belongs to another user; it is not used for private data.`,
    hint: 'Change its owner, or choose other folders with CDPADM_CONFIG_DIR, CDPADM_STATE_DIR, CDPADM_CACHE_DIR and CDPADM_DATA_DIR.',
  });
}

/** Has the folder's entries on the disk, as far as the system can. */
export function syncFolder(path: string): void {
  // Windows and some network file systems cannot open a folder; the rename is then as durable as it gets.
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
