// Creates folders, scratch folders and names for files. Removes temporary files that killed processes left behind.
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { systemClock } from './clock.ts';
import { host } from './host.ts';
import { cannotRead, type KnownError, systemErrorCode, usageError, writing } from './errors.ts';

const NAME = /^\.cdpadm-(\d+)-[a-z0-9]+\.tmp$/;

/** Returns a unique but guessable word. Loading `node:crypto` for a better one would cost 2.6 ms at each start. */
export function uniqueWord(): string {
  const parts = [systemClock.now(), host.pid, Math.random() * 2 ** 53, Math.random() * 2 ** 53];
  return parts.map((part) => Math.floor(part).toString(36)).join('');
}

/** Returns a path in `folder` for a file that will soon be renamed or removed. Open the file with the flag `wx`. */
export const temporaryPath = (folder: string): string => join(folder, `.cdpadm-${host.pid}-${uniqueWord()}.tmp`);

/** Returns the path, with a number added if the file exists, so that earlier results are never overwritten. */
export function freeName(path: string): string {
  const { dir, ext, name } = parse(path);
  for (let number = 1; ; number++) {
    const free = number === 1 ? path : join(dir, `${name}-${number}${ext}`);
    if (!fs.existsSync(free)) return free;
  }
}

/** Renames a file within its folder. Throws usage (2) if `path` exists; the temporary file then remains. */
export function nameOnce(temporary: string, path: string, hint?: string): void {
  try {
    if (!isLinked(temporary, path)) {
      // Claim the name. If the process is killed before the next step, an empty file remains.
      fs.closeSync(fs.openSync(path, 'wx', 0o600));
      fs.renameSync(temporary, path);
    }
  } catch (error) {
    throw systemErrorCode(error) === 'EEXIST' ? nameTaken(path, hint) : error;
  }
  fs.rmSync(temporary, { force: true });
}

/** Returns false if the file system, for example of a network share, does not support hard links. */
function isLinked(temporary: string, path: string): boolean {
  try {
    fs.linkSync(temporary, path);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') throw error;
    return false;
  }
}

export function nameTaken(path: string, hint = 'Move it elsewhere, or pass another name.'): KnownError {
  return usageError(`${path} already exists and was not overwritten.`, hint);
}

/** In a shared folder, a process may run on another machine. In a user's folder, it may write slowly. */
const SWEPT_AFTER_MS = { private: 60_000, user: 3_600_000 };

/** Removes the incomplete files that killed processes left behind. They may contain personal data. */
export function sweepTemporaryFiles(folder: string, kind: keyof typeof SWEPT_AFTER_MS = 'private'): void {
  sweepOldFiles(folder, NAME, SWEPT_AFTER_MS[kind]);
}

/** Removes the matching files that were last written more than `ms` ago. */
export function sweepOldFiles(folder: string, pattern: RegExp, ms: number): void {
  sweep(folder, pattern, ms, () => true);
}

/** Removes the spent entries that are older than `ms` and whose process, if the pattern captures one, has exited. */
function sweep(folder: string, pattern: RegExp, ms: number, isSpent: (path: string, stat: fs.Stats) => boolean): void {
  try {
    for (const name of fs.readdirSync(folder)) {
      const match = pattern.exec(name);
      if (match === null || (match[1] !== undefined && host.isAlive(Number(match[1])))) continue;
      const path = join(folder, name);
      const stat = fs.lstatSync(path, { throwIfNoEntry: false });
      if (!stat || systemClock.now() - stat.mtimeMs <= ms || !isSpent(path, stat)) continue;
      fs.rmSync(path, { recursive: true, force: true });
    }
  } catch {
    // Ignore errors: a later call may succeed.
  }
}

/** Creates a folder and its parents. Node's `recursive` never returns if a folder reports ENOENT, as in /proc. */
export function makeFolder(path: string, mode?: number): void {
  const missing: string[] = [];
  for (let at = resolve(path); !fs.existsSync(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at);
  // If the path exists but is not a folder, `mkdirSync` reports the error.
  for (const folder of missing.length > 0 ? missing : [path]) {
    try {
      fs.mkdirSync(folder, mode);
    } catch (error) {
      // Another process may have created the folder first.
      if (systemErrorCode(error) !== 'EEXIST' || !isFolder(folder)) throw error;
    }
  }
}

/** True for a folder or a link to one. False for a path that cannot exist, such as one that is too long. */
export const isFolder = (path: string): boolean => fs.existsSync(path) && fs.statSync(path).isDirectory();

/** Creates a folder that the user named. */
export function makeUserFolder(path: string, mode?: number): void {
  writing(path, () => makeFolder(path, mode));
}

type ScratchKind = 'edit' | 'input' | 'mcp' | 'tour' | 'warehouse';

/**
 * Creates an empty folder (0700) with an unpredictable name, for the caller to remove. Removes this user's other
 * folders of this kind if they are over an hour old and their process has exited. Newer folders may belong to another
 * container that shares `root`, the parent. `isSpent` returns true if the folder of an exited process may be removed.
 */
export function makeScratchFolder(
  kind: ScratchKind,
  root = tmpdir(),
  isSpent: (folder: string) => boolean = () => true,
): string {
  const pattern = new RegExp(`^cdpadm-${kind}-(\\d+)-[A-Za-z0-9]{6}$`);
  const isOwn = (stat: fs.Stats): boolean => stat.isDirectory() && [undefined, stat.uid].includes(host.uid());
  sweep(root, pattern, 3_600_000, (path, stat) => isOwn(stat) && isSpent(path));
  return fs.mkdtempSync(join(root, `cdpadm-${kind}-${host.pid}-`));
}

export function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw cannotRead(folder, error);
  }
}

/** Returns the path with symlinks resolved, or the path as written if it does not exist. */
export function realPath(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return path;
  }
}

export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
