// Files that survive a crash and that nobody else reads: private folders, atomic writes, fsynced appends.
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError, EXIT, systemErrorCode } from './errors.ts';
import { host } from './host.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Makes the folder and its parents, 0700 where it is new. Refuses a folder that another user owns. */
export function ensurePrivateFolder(path: string): void {
  try {
    fs.mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
  } catch (error) {
    throw cannotWrite(path, error);
  }
  assertOwn(path, fs.statSync(path));
}

/**
 * Writes a file by temporary file, fsync and rename, so that a reader sees the old text or the new one and never a
 * part. The file is 0600 whatever the umask. Refuses a symlink or a file of another user in that place.
 */
export function writePrivateFile(path: string, data: string | Uint8Array): void {
  ensurePrivateFolder(dirname(path));
  refuseForeign(path);
  replaceFile(path, data, PRIVATE_FILE);
}

/**
 * Writes a file that the user named: atomically, keeping the mode of a file that is there and writing through a
 * symlink to its target. A new file gets `mode` (default 0666 less the umask).
 */
export function writeUserFile(path: string, data: string | Uint8Array, mode?: number): void {
  const target = resolveLink(path);
  const existing = statIfThere(target);
  if (existing && !existing.isFile()) {
    // A pipe or a device cannot be replaced, only written to.
    fs.writeFileSync(target, data);
    return;
  }
  replaceFile(target, data, mode ?? (existing ? existing.mode & 0o777 : undefined));
}

function replaceFile(target: string, data: string | Uint8Array, mode: number | undefined): void {
  const temporary = join(dirname(target), `.${randomBytes(9).toString('base64url')}.tmp`);
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(temporary, 'wx', mode ?? 0o666);
    fs.writeFileSync(descriptor, data);
    if (mode !== undefined) fs.fchmodSync(descriptor, mode);
    fs.fsyncSync(descriptor);
    fs.closeSync(descriptor);
    descriptor = undefined;
    fs.renameSync(temporary, target);
    syncFolder(dirname(target));
  } catch (error) {
    if (descriptor !== undefined) fs.closeSync(descriptor);
    fs.rmSync(temporary, { force: true });
    throw cannotWrite(target, error);
  }
}

/** An append-only private file; each `append` is on the disk when it returns. */
export interface DurableLog {
  append(data: string): void;
  close(): void;
}

/** Opens (or makes, 0600) a file for fsynced appends. Refuses symlinks and files of other users. */
export function openDurableLog(path: string): DurableLog {
  ensurePrivateFolder(dirname(path));
  refuseForeign(path);
  let descriptor: number;
  try {
    descriptor = fs.openSync(path, 'a', PRIVATE_FILE);
    fs.fchmodSync(descriptor, PRIVATE_FILE);
  } catch (error) {
    throw cannotWrite(path, error);
  }
  return {
    append: (data) => {
      try {
        fs.writeFileSync(descriptor, data);
        fs.fsyncSync(descriptor);
      } catch (error) {
        throw cannotWrite(path, error);
      }
    },
    close: () => {
      fs.closeSync(descriptor);
    },
  };
}

/** Reads a private file, or undefined when there is none. Refuses a symlink or a file of another user. */
export function readPrivateFile(path: string): string | undefined {
  const stat = refuseForeign(path);
  return stat === undefined ? undefined : fs.readFileSync(path, 'utf8');
}

/** Removes a file; one that is not there is no failure. */
export function removeFile(path: string): void {
  fs.rmSync(path, { force: true });
}

/** Whether group or others may read or write the file. Always false where modes mean nothing (Windows). */
export function isExposed(path: string): boolean {
  if (host.platform === 'win32') return false;
  const stat = statIfThere(path);
  return stat !== undefined && (stat.mode & 0o077) !== 0;
}

function statIfThere(path: string): fs.Stats | undefined {
  return fs.statSync(path, { throwIfNoEntry: false });
}

function refuseForeign(path: string): fs.Stats | undefined {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  if (stat.isSymbolicLink()) {
    throw new CliError({
      code: 'files.symlink',
      message: `${path} is a symbolic link; a private file is never read or written through one.`,
      hint: 'Remove the link, or point the CDPADM_*_DIR variables at the real folder.',
      exit: EXIT.failed,
    });
  }
  assertOwn(path, stat);
  return stat;
}

function assertOwn(path: string, stat: fs.Stats): void {
  const uid = host.uid();
  if (uid === undefined || stat.uid === uid) return;
  throw new CliError({
    code: 'files.foreign',
    message: `${path} belongs to another user; it is not used for private data.`,
    hint: 'Change its owner, or choose other folders with CDPADM_CONFIG_DIR, CDPADM_STATE_DIR, CDPADM_CACHE_DIR and CDPADM_DATA_DIR.',
    exit: EXIT.failed,
  });
}

function resolveLink(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return path;
    throw cannotWrite(path, error);
  }
}

function syncFolder(path: string): void {
  // Windows and some network file systems cannot open a folder; the rename is then as durable as it gets.
  let descriptor: number;
  try {
    descriptor = fs.openSync(path, 'r');
  } catch {
    return;
  }
  try {
    fs.fsyncSync(descriptor);
  } catch {
    // see above
  } finally {
    fs.closeSync(descriptor);
  }
}

function cannotWrite(path: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const code = systemErrorCode(error);
  const reasons: Record<string, string> = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
    ENOENT: 'the folder does not exist',
    ENOTDIR: 'a part of the path is not a folder',
    EISDIR: 'it is a folder',
  };
  return new CliError({
    code: 'files.write',
    message: `Cannot write ${path}: ${(code && reasons[code]) ?? (error as Error).message}.`,
    hint: 'Nothing was lost: what was there before is unchanged.',
    exit: EXIT.failed,
    cause: error,
  });
}
