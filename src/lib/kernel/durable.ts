// Files that survive a crash and that nobody else reads: private folders, atomic writes, fsynced appends.
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isAbsent } from './errors.ts';
import { cannotRead, cannotWrite } from './file-failure.ts';
import { host } from './host.ts';
import { makeFolder, sweepTemporaryFiles, temporaryPath } from './temporary-file.ts';
import { assertOwn, PRIVATE_FILE, refuseForeign, syncFolder } from './own-file.ts';

const PRIVATE_FOLDER = 0o700;

/** Makes the folder and its parents, 0700 where it is new. Refuses a folder that another user owns. */
export function ensurePrivateFolder(path: string): void {
  let stat: Stats;
  try {
    makeFolder(path, PRIVATE_FOLDER);
    stat = statSync(path);
  } catch (error) {
    throw cannotWrite(path, error);
  }
  assertOwn(path, stat);
}

/**
 * Writes a file by temporary file, fsync and rename, so that a reader sees the old text or the new one and never a
 * part. The file is 0600 whatever the umask. Refuses a symlink or a file of another user in that place.
 */
export function writePrivateFile(path: string, data: string | Uint8Array): void {
  preparePrivateFile(path);
  replaceFile(path, data, { mode: PRIVATE_FILE });
}

function preparePrivateFile(path: string): void {
  const folder = dirname(path);
  ensurePrivateFolder(folder);
  refuseForeign(path, cannotWrite);
  sweepTemporaryFiles(folder);
}

/**
 * Writes a file that the user named: atomically, keeping mode and owner of a file that is there and writing through
 * symlinks to their target. A new file gets `mode` (default 0666 less the umask). Pipes and devices are written to.
 */
export function writeUserFile(path: string, data: string | Uint8Array, mode?: number): void {
  const file = openUserFile(path, mode);
  try {
    file.write(data);
    file.finish();
  } catch (error) {
    file.discard();
    throw cannotWrite(path, error);
  }
}

/** The same for what is too long to be held. A failure of `parts` is thrown on, and nothing is replaced then. */
export async function writeUserFileInParts(path: string, parts: AsyncIterable<string>): Promise<void> {
  await writeInParts(path, openUserFile(path), parts);
}

/** `writePrivateFile` for what is too long to be held. */
export async function replacePrivateFile(path: string, parts: AsyncIterable<string>): Promise<void> {
  preparePrivateFile(path);
  await writeInParts(path, openReplacement(path, { mode: PRIVATE_FILE }), parts);
}

async function writeInParts(path: string, file: OpenFile, parts: AsyncIterable<string>): Promise<void> {
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      throw cannotWrite(path, error);
    }
  };
  try {
    for await (const part of parts) attempt(() => file.write(part));
    attempt(file.finish);
  } catch (error) {
    file.discard();
    throw error;
  }
}

interface OpenFile {
  write(data: string | Uint8Array): void;
  finish(): void;
  /** Leaves what was there before. May be called after anything. */
  discard(): void;
}

function openUserFile(path: string, mode?: number): OpenFile {
  try {
    const existing = statSync(path, { throwIfNoEntry: false });
    // What lies under /dev leads to wherever the output goes, which may be a file opened by somebody else.
    if ((existing && !existing.isFile()) || /^\/(dev|proc)\//.test(path)) return openInPlace(path);
    // Rename asks for the folder's leave alone; a file that its owner made read-only stays as it is.
    if (existing) accessSync(path, constants.W_OK);
    const target = existing ? realpathSync(path) : missingTarget(path);
    return openReplacement(target, {
      mode: mode ?? (existing && existing.mode & 0o777),
      ...(existing && { owner: existing }),
    });
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function openInPlace(path: string): OpenFile {
  const descriptor = openSync(path, 'w');
  const close = closerOf(descriptor);
  return { write: (data) => writeFileSync(descriptor, data), finish: close, discard: close };
}

interface Replacement {
  /** Exact, whatever the umask; absent: 0666 less the umask. */
  mode?: number | undefined;
  owner?: { uid: number; gid: number };
}

function replaceFile(target: string, data: string | Uint8Array, replacement: Replacement): void {
  let file: OpenFile | undefined;
  try {
    file = openReplacement(target, replacement);
    file.write(data);
    file.finish();
  } catch (error) {
    file?.discard();
    throw cannotWrite(target, error);
  }
}

function openReplacement(target: string, { mode, owner }: Replacement): OpenFile {
  const temporary = temporaryPath(dirname(target));
  const descriptor = openSync(temporary, 'wx', mode ?? 0o666);
  const close = closerOf(descriptor);
  return {
    write: (data) => writeFileSync(descriptor, data),
    finish: () => {
      if (owner) giveTo(descriptor, owner);
      if (mode !== undefined) fchmodSync(descriptor, mode);
      fsyncSync(descriptor);
      close();
      renameSync(temporary, target);
      syncFolder(dirname(target));
    },
    discard: () => {
      close();
      rmSync(temporary, { force: true });
    },
  };
}

/** Closes once: a closed descriptor's number belongs to whatever is opened next. */
function closerOf(descriptor: number): () => void {
  let isOpen = true;
  return () => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
}

/** Keeps a file its owner's when root, or a member of its group, replaces it. */
function giveTo(descriptor: number, owner: { uid: number; gid: number }): void {
  const own = fstatSync(descriptor);
  if (own.uid === owner.uid && own.gid === owner.gid) return;
  try {
    fchownSync(descriptor, owner.uid, owner.gid);
  } catch {
    // Who may write to the file, but may not give one away, becomes its owner.
  }
}

/** Reads a private file, or undefined when there is none. Refuses a symlink or a file of another user. */
export function readPrivateFile(path: string): string | undefined {
  if (refuseForeign(path, cannotRead) === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // Another process may have removed it meanwhile.
    if (isAbsent(error)) return undefined;
    throw cannotRead(path, error);
  }
}

/** Removes a file; one that is not there is no failure. */
export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Whether group or others may read or write the file. Always false where modes mean nothing (Windows). */
export function isExposed(path: string): boolean {
  if (host.platform === 'win32') return false;
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && (stat.mode & 0o077) !== 0;
}

/** Where the file will stand: a symlink may point at one that is yet to be made. */
function missingTarget(path: string): string {
  let target = path;
  while (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) {
    target = resolve(dirname(target), readlinkSync(target));
  }
  return target;
}
