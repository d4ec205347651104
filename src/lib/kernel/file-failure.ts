// Converts file system errors to messages.
import { isAbsent, KnownError, systemErrorCode, type Hints } from './errors.ts';

export const OTHER_FOLDERS =
  'set other folders with CDPADM_CONFIG_DIR, CDPADM_STATE_DIR, CDPADM_CACHE_DIR and CDPADM_DATA_DIR.';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than allowed',
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  ERR_FS_EISDIR: 'it is a folder',
  EEXIST: 'there is a file where the folder should be',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many files are open',
  EBUSY: 'it is a mount point, or another program uses it',
  EIO: 'the disk reported an error',
};

const ROOM = 'Free some space';
const PERMISSION = 'Make its folder writable by you';
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: ROOM,
  EDQUOT: ROOM,
  EFBIG: ROOM,
  EBUSY: 'Mount the folder instead of the file',
  EROFS: PERMISSION,
  EACCES: PERMISSION,
  EPERM: PERMISSION,
};

/** Returns the error for a failed write; returns a KnownError unchanged. The default hint may suggest a fix. */
export function cannotWrite(path: string, error: unknown, hint?: Hints): KnownError {
  const remedy = REMEDIES[systemErrorCode(error) ?? ''] ?? (isAbsent(error) ? 'Create the folder' : undefined);
  const ours = `The file was not written.${remedy ? ` ${remedy}, or use another folder.` : ''}`;
  return failure('files.write', `Cannot write ${path}`, error, hint ?? ours);
}

/** Returns the error for a private folder that cannot be created. Returns a KnownError unchanged. */
export function cannotCreate(path: string, error: unknown): KnownError {
  const remedy = REMEDIES[systemErrorCode(error) ?? ''] ?? 'Fix the path';
  return failure('files.write', `Cannot create the folder ${path}`, error, `${remedy}, or ${OTHER_FOLDERS}`);
}

export function cannotRead(path: string, error: unknown): KnownError {
  return failure(
    'files.read',
    `Cannot read ${path}`,
    error,
    systemErrorCode(error) === 'ENOENT'
      ? 'Check the path.'
      : 'Check the owner and the mode of the file and of its folder.',
  );
}

function failure(code: string, what: string, error: unknown, hint: Hints): KnownError {
  if (error instanceof KnownError) return error;
  return new KnownError({ code, message: `${what}: ${reasonOf(error)}.`, hint, cause: error });
}

export function reasonOf(error: unknown): string {
  return REASONS[systemErrorCode(error) ?? ''] ?? (error as Error).message;
}
