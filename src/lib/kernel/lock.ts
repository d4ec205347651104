// A lock between processes that a killed holder never leaves stuck.
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from './clock.ts';
import { ensurePrivateFolder } from './durable.ts';
import { systemErrorCode } from './errors.ts';
import { host } from './host.ts';

/** A holder on another machine (a shared home folder) cannot be asked whether it lives; its lock ends with age. */
const FOREIGN_HOST_STALE_MS = 10 * 60_000;
const POLL_MS = 15;

interface Holder {
  pid: number;
  host: string;
  nonce: string;
}

export interface Lock {
  release(): void;
}

/**
 * Takes the lock file at `path` or returns undefined when a living process holds it. A dead holder's lock is taken
 * over: whoever holds the lock *on that dead instance* (its nonce is in the name) may remove it, so that two
 * processes can never both break it and none can break a new one.
 */
export function tryLock(path: string): Lock | undefined {
  ensurePrivateFolder(dirname(path));
  const nonce = randomBytes(9).toString('base64url');
  const own: Holder = { pid: host.pid, host: host.hostname(), nonce };
  for (let attempt = 0; attempt < 3; attempt++) {
    if (createWhole(path, JSON.stringify(own), nonce)) {
      return {
        release: () => {
          if (readHolder(path)?.nonce === nonce) fs.rmSync(path, { force: true });
        },
      };
    }
    const holder = readHolder(path);
    if (holder !== undefined && (isHeld(path, holder) || !breakDead(path, holder))) return undefined;
  }
  return undefined;
}

/** Waits for the lock. Rejects with the signal's reason when that is aborted first. */
export async function acquireLock(path: string, clock: Clock, signal?: AbortSignal): Promise<Lock> {
  for (;;) {
    const lock = tryLock(path);
    if (lock) return lock;
    await clock.sleep(POLL_MS, signal);
  }
}

/** Runs `work` while holding the lock at `path`. */
export async function withLock<T>(path: string, clock: Clock, work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
  const lock = await acquireLock(path, clock, signal);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Creates the file with its content in one step, so that no reader ever sees it empty. False when it is there. */
function createWhole(path: string, content: string, nonce: string): boolean {
  const temporary = `${path}.${nonce}.new`;
  fs.writeFileSync(temporary, content, { flag: 'wx', mode: 0o600 });
  try {
    fs.linkSync(temporary, path);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

function readHolder(path: string): Holder | undefined {
  try {
    return JSON.parse(fs.readFileSync(path, 'utf8')) as Holder;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isHeld(path: string, holder: Holder): boolean {
  if (holder.host === host.hostname()) return host.isAlive(holder.pid);
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs < FOREIGN_HOST_STALE_MS;
}

function breakDead(path: string, dead: Holder): boolean {
  const right = tryLock(`${path}.${dead.nonce}`);
  if (!right) return false;
  try {
    if (readHolder(path)?.nonce === dead.nonce) fs.rmSync(path, { force: true });
    return true;
  } finally {
    right.release();
  }
}
