// Creates private folders. Writes private files, and files that the user named, so that a crash cannot damage them.
import * as fs from 'node:fs';
import { dirname, resolve } from 'node:path';
import { cannotCreate, cannotRead, cannotWrite, isAbsent, KnownError, OTHER_FOLDERS, writing } from './errors.ts';
import { host } from './host.ts';
import { makeFolder, nameOnce, nameTaken, sweepTemporaryFiles, temporaryPath } from './temporary-file.ts';

const PRIVATE_FOLDER = 0o700;

export function ensurePrivateFolder(path: string): void {
  let stat: fs.Stats;
  try {
    makeFolder(path, PRIVATE_FOLDER);
    stat = fs.statSync(path);
  } catch (error) {
    throw cannotCreate(path, error);
  }
  assertOwn(path, stat);
}

/** Writes a temporary file (0600), flushes it and renames it. Throws for a symlink or another user's file. */
export function writePrivateFile(path: string, data: string | Uint8Array): void {
  preparePrivateFile(path);
  writeWhole(path, data, () => openReplacement(path, { mode: PRIVATE_FILE }));
}

function preparePrivateFile(path: string): void {
  const folder = dirname(path);
  ensurePrivateFolder(folder);
  assertPrivate(path, cannotWrite);
  sweepTemporaryFiles(folder);
}

/**
 * Writes a file named by the user: atomically or, for pipes and devices, in place. A replaced file keeps its owner and,
 * without `mode`, its mode. A new file gets `mode` or 0666 minus the umask. With mode 0600, throws for a symlink.
 */
export function writeUserFile(path: string, data: string | Uint8Array, mode?: number): void {
  writeWhole(path, data, () => openUserFile(path, mode));
}

function writeWhole(path: string, data: string | Uint8Array, open: () => OpenFile): void {
  const file = writing(path, open);
  try {
    writing(path, () => file.write(data));
    writing(path, file.finish);
  } catch (error) {
    file.discard();
    throw error;
  }
}

/** Like `writeUserFile`, for data that does not fit in memory. If `parts` throws, keeps the old file and rethrows. */
export async function writeUserFileInParts(path: string, parts: AsyncIterable<string>): Promise<void> {
  await writeInParts(path, () => openUserFile(path), parts);
}

export async function replacePrivateFile(path: string, parts: AsyncIterable<string>): Promise<void> {
  preparePrivateFile(path);
  await writeInParts(path, () => openReplacement(path, { mode: PRIVATE_FILE }), parts);
}

/** Writes a new private file. Throws usage (2) at the end if `path` already exists. Leaves no file after an error. */
export async function writeNewFile(path: string, parts: AsyncIterable<string | Uint8Array>): Promise<void> {
  await writeInParts(path, () => openNewFile(path), parts);
}

/** Throws the error that `writeNewFile` would throw: usage (2) if `path` exists, failed (1) if it cannot be created. */
export function requireNewFile(path: string, hint?: string): void {
  writing(path, () => {
    if (fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw nameTaken(path, hint);
    openReplacement(path, { mode: PRIVATE_FILE }).discard();
  });
}

async function writeInParts(path: string, open: () => OpenFile, parts: AsyncIterable<string | Uint8Array>) {
  const file = writing(path, open);
  try {
    for await (const part of parts) writing(path, () => file.write(part));
    writing(path, file.finish);
  } catch (error) {
    file.discard();
    throw error;
  }
}

/** Opens a new private file, which gets its name at the end. `finish` throws usage (2), with `hint`, if it is taken. */
export function openNewFile(path: string, hint?: string): OpenFile {
  return openReplacement(path, { mode: PRIVATE_FILE, isNew: true, hint });
}

export interface OpenFile {
  write(data: string | Uint8Array): void;
  finish(): void;
  /** Closes the file without replacing the previous file. Can be called at any time. */
  discard(): void;
}

/** Throws the error that `writeUserFile` would throw, as far as it is known in advance. Changes nothing. */
export function checkUserFile(path: string): void {
  writing(path, () => {
    const existing = fs.statSync(path, { throwIfNoEntry: false });
    if (existing?.isDirectory()) throw new Error('it is a folder');
    if (existing) fs.accessSync(path, fs.constants.W_OK);
    if (!existing || !isInPlace(path, existing)) fs.accessSync(dirname(missingTarget(path)), fs.constants.W_OK);
  });
}

function openUserFile(path: string, mode?: number): OpenFile {
  const existing = fs.statSync(path, { throwIfNoEntry: false });
  if (isInPlace(path, existing)) return openInPlace(path);
  if (mode === PRIVATE_FILE) assertPrivate(path, cannotWrite);
  // Renaming needs only permission for the folder, but a read-only file must not be replaced.
  if (existing) fs.accessSync(path, fs.constants.W_OK);
  const target = existing ? fs.realpathSync(path) : missingTarget(path);
  return openReplacement(target, { mode: mode ?? (existing && existing.mode & 0o777), owner: existing });
}

/** A path under /dev or /proc may refer to a file that is already open, but /dev/shm contains ordinary files. */
function isInPlace(path: string, existing: fs.Stats | undefined): boolean {
  return existing?.isFile() === false || /^\/(dev\/(?!shm\/)|proc\/)/.test(path);
}

function openInPlace(path: string): OpenFile {
  const descriptor = fs.openSync(path, 'w');
  const close = closerOf(descriptor);
  return { write: (data) => fs.writeFileSync(descriptor, data), finish: close, discard: close };
}

interface Replacement {
  /** The exact mode, regardless of the umask. Default: 0666 minus the umask. */
  mode?: number | undefined;
  owner?: fs.Stats | undefined;
  isNew?: boolean;
  hint?: string | undefined;
}

function openReplacement(target: string, { hint, isNew, mode, owner }: Replacement): OpenFile {
  sweepTemporaryFiles(dirname(target), 'user');
  const temporary = temporaryPath(dirname(target));
  const descriptor = fs.openSync(temporary, 'wx', mode ?? 0o666);
  const close = closerOf(descriptor);
  return {
    write: (data) => fs.writeFileSync(descriptor, data),
    finish: () => {
      if (owner) chownTo(descriptor, owner);
      if (mode !== undefined) fs.fchmodSync(descriptor, mode);
      fs.fsyncSync(descriptor);
      close();
      if (isNew) nameOnce(temporary, target, hint);
      else fs.renameSync(temporary, target);
      syncFolder(dirname(target));
    },
    discard: () => {
      close();
      fs.rmSync(temporary, { force: true });
    },
  };
}

/** Returns a function that closes only once, because the next file to be opened may reuse the number. */
function closerOf(descriptor: number): () => void {
  let isOpen = true;
  return () => {
    if (isOpen) fs.closeSync(descriptor);
    isOpen = false;
  };
}

/** Keeps the owner and the group when root or a group member replaces a file. */
function chownTo(descriptor: number, owner: fs.Stats): void {
  const own = fs.fstatSync(descriptor);
  if (own.uid === owner.uid && own.gid === owner.gid) return;
  try {
    fs.fchownSync(descriptor, owner.uid, owner.gid);
  } catch {
    // A user who can write to the file but not change its owner becomes the owner.
  }
}

/** Reads a private file. Returns undefined if it does not exist. Throws for a symlink or another user's file. */
export function readPrivateFile(path: string): string | undefined {
  if (assertPrivate(path, cannotRead) === undefined) return undefined;
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    // Another process may have removed the file.
    if (isAbsent(error)) return undefined;
    throw cannotRead(path, error);
  }
}

export function removeFile(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch (error) {
    if (!isAbsent(error)) throw cannotWrite(path, error);
  }
}

export function isExposed(path: string): boolean {
  if (host.platform === 'win32') return false;
  return ((fs.statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

/** Follows symlinks to a path that does not have to exist, and returns that path. */
function missingTarget(path: string): string {
  let target = path;
  while (fs.lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink())
    target = resolve(dirname(target), fs.readlinkSync(target));
  return target;
}

export const PRIVATE_FILE = 0o600;

/** Returns the file's stats, if it exists. Throws KnownError failed (1) for a symlink or another user's file. */
export function assertPrivate(path: string, failure: typeof cannotRead): fs.Stats | undefined {
  let stat: fs.Stats | undefined;
  try {
    stat = fs.lstatSync(path, { throwIfNoEntry: false });
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

function assertOwn(path: string, stat: fs.Stats): void {
  const uid = host.uid();
  if (uid === undefined || stat.uid === uid) return;
  throw new KnownError({
    code: 'files.foreign',
    message: `${path} belongs to another user and cannot be used for private data.`,
    hint: `Change its owner, or ${OTHER_FOLDERS}`,
  });
}

export function syncFolder(path: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(path, 'r');
    fs.fsyncSync(descriptor);
  } catch {
    // Windows and some network file systems cannot open or flush a folder.
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}
