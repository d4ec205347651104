// A lock between processes. If a process is killed, another process can break its lock.
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Clock, systemClock } from './clock.ts';
import { ensurePrivateFolder } from './durable.ts';
import { cannotRead, cannotWrite, systemErrorCode } from './errors.ts';
import { host } from './host.ts';
import { temporaryPath, sweepTemporaryFiles, uniqueWord } from './temporary-file.ts';
import { readRecord } from './json.ts';

/** A holder on another machine counts as dead if it has not refreshed its lock for this long. */
const FOREIGN_HOST_STALE_MS = 10 * 60_000;
const HEARTBEAT_MS = 60_000;
/** First pause of a waiting process. Later pauses grow to at most `SLOWEST_POLL_MS`. */
const POLL_MS = 15;
const SLOWEST_POLL_MS = 200;
let ownLife: string | undefined;

export interface ProcessIdentity {
  pid: number;
  /** Start time of the process in the system's format. Distinguishes the process from a later one with the same id. */
  began?: string | undefined;
}

export interface Holder extends ProcessIdentity {
  host: string;
  nonce: string;
}

export interface Lock {
  release(): void;
}

/**
 * Acquires the lock file at `path`; returns undefined if another process holds it or is breaking it. Breaks a dead
 * holder's lock. Only a process that holds a lock *on that dead instance* (with its nonce in the name) may do so. So
 * two processes never both break it, and no process breaks a new lock. Throws KnownError if the folder is not writable.
 */
export const tryLock = (path: string): Lock | undefined => lockBelow(path, path);

/** `path` is the lock `root` itself, or a marker whose holder may remove the file of one dead holder. */
function lockBelow(root: string, path: string): Lock | undefined {
  ensurePrivateFolder(dirname(path));
  const own: Holder = { ...ownProcess(), host: host.hostname(), nonce: uniqueWord() };
  for (let attempt = 0; attempt < 3; attempt++) {
    if (createWhole(path, JSON.stringify(own))) return held(path, own.nonce);
    const holder = readHolder(path);
    if (holder !== undefined && (isHeld(path, holder) || !breakDead(root, path, holder))) return undefined;
  }
  return undefined;
}

/** Waits for the lock, and names its holder in `clock.onWait`. Rejects with the signal's reason on an abort. */
export async function acquireLock(path: string, clock: Clock, signal?: AbortSignal): Promise<Lock> {
  let over: (() => void) | undefined;
  try {
    for (let pause = POLL_MS; ; pause = Math.min(pause + 1, SLOWEST_POLL_MS)) {
      signal?.throwIfAborted();
      const lock = tryLock(path);
      if (lock) return lock;
      over ??= clock.onWait?.(
        () => `Waiting for ${holderName(path)}, which holds ${basename(dirname(path))}/${basename(path)}`,
      );
      await clock.sleep(pause, signal);
    }
  } finally {
    over?.();
  }
}

function holderName(path: string): string {
  const { pid, host: at } = readHolder(path) ?? {};
  if (pid === undefined) return 'another process';
  return `process ${pid}${at === host.hostname() ? '' : ` on ${at ?? ''}`}`;
}

export async function withLock<T>(path: string, clock: Clock, work: () => T | Promise<T>, signal?: AbortSignal) {
  const lock = await acquireLock(path, clock, signal);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

function held(path: string, nonce: string): Lock {
  const isOurs = (): boolean => readHolder(path)?.nonce === nonce;
  const heartbeat = setInterval(() => {
    const now = systemClock.now() / 1000;
    // If the folder was removed, so was the lock. The error must not end the process.
    try {
      if (isOurs()) fs.utimesSync(path, now, now);
    } catch {
      clearInterval(heartbeat);
    }
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return {
    release: () => {
      clearInterval(heartbeat);
      if (isOurs()) fs.rmSync(path, { force: true });
    },
  };
}

/** Creates the file with its content atomically, so that no reader sees it empty. Returns false if the file exists. */
function createWhole(path: string, content: string): boolean {
  const temporary = temporaryPath(dirname(path));
  try {
    fs.writeFileSync(temporary, content, { flag: 'wx', mode: 0o600 });
    fs.linkSync(temporary, path);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw cannotWrite(path, error);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

/** Returns the holder, dead or alive, that a lock file names: PID 0 for damaged content, undefined for no file. */
export function readHolder(path: string): Holder | undefined {
  let content: string;
  let instance: string;
  try {
    const descriptor = fs.openSync(path, 'r');
    try {
      content = fs.readFileSync(descriptor, 'utf8');
      const { ino, mtimeMs } = fs.fstatSync(descriptor);
      instance = `${ino}x${Math.floor(mtimeMs)}`;
    } finally {
      fs.closeSync(descriptor);
    }
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw cannotRead(path, error);
  }
  const holder = readRecord<Holder>(content);
  if (Number.isSafeInteger(holder?.pid) && /^\w+$/.test(String(holder?.nonce))) return holder as Holder;
  return { pid: 0, host: host.hostname(), nonce: instance };
}

function isHeld(path: string, holder: Holder): boolean {
  if (holder.host === host.hostname()) return isAlive(holder);
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && systemClock.now() - stat.mtimeMs < FOREIGN_HOST_STALE_MS;
}

export const ownProcess = (): ProcessIdentity => ({ pid: host.pid, began: (ownLife ??= lifeOf(host.pid)) });

/** True if the process is running on this machine. A later process with the same id does not count. */
export function isAlive({ pid, began }: ProcessIdentity): boolean {
  // Signaling PID 0 would signal our own process group.
  if (pid <= 0 || !host.isAlive(pid)) return false;
  const life = lifeOf(pid);
  return life === undefined || began === undefined || life === began;
}

/** Returns a process's start time in ticks since boot; `ended` for a zombie; undefined if unknown or not on Linux. */
function lifeOf(pid: number): string | undefined {
  if (host.platform !== 'linux') return undefined;
  let line: string;
  try {
    line = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field (the program's name in parentheses) can contain spaces and parentheses.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : fields[19];
}

/** Removes a dead holder's file; returns false if another process is doing so. Each dead holder has its own marker. */
function breakDead(root: string, path: string, dead: Holder): boolean {
  const marker = `${root}.${dead.nonce}.dead`;
  const right = lockBelow(root, marker);
  if (!right) return false;
  try {
    if (readHolder(path)?.nonce === dead.nonce) {
      if (path === root) sweep(root, marker);
      fs.rmSync(path, { force: true });
    }
    return true;
  } finally {
    right.release();
  }
}

/**
 * Removes files of processes that were killed while they acquired or broke this lock. Called while the dead lock still
 * exists, so no later instance can start, and every marker except ours belongs to an earlier instance and is useless.
 */
function sweep(root: string, ownMarker: string): void {
  const folder = dirname(root);
  sweepTemporaryFiles(folder);
  const isMarker = (name: string): boolean =>
    name.startsWith(`${basename(root)}.`) && /^(\.\w+\.dead)+$/.test(name.slice(basename(root).length));
  for (const name of fs.readdirSync(folder).filter(isMarker)) {
    const marker = join(folder, name);
    if (marker !== ownMarker) fs.rmSync(marker, { force: true });
  }
}
