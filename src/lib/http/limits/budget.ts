// The rate budget of an area whose limit the specification fixes, shared by all processes of one user (decision: D7).
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Budget } from '../../contract/endpoint.ts';
import type { CacheFiles } from '../../kernel/cache-files.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { tryLock } from '../../kernel/lock.ts';
import { formatDuration } from '../../kernel/timestamps.ts';
import { pause } from './pace.ts';
import type { HttpOptions } from '../types.ts';

/** Below the specification's 100, so that a person at the platform's own screens is not shut out by our scripts. */
const LIMITS: Record<Budget, number> = { roles: 90 };

/** A minute, and a second more: requests sent a minute apart may arrive closer to one another than that. */
const WINDOW_MS = 61_000;

/** A slot further ahead than this comes from a damaged file, not from a queue. */
const MAX_AHEAD_MS = 3_600_000;

/** Every write has this length, so that one interrupted never leaves the end of a longer text behind. */
const FILE_LENGTH = 2048;

/** A wait that a person may wonder about. */
const LONG_WAIT_MS = 1000;

interface Schedule {
  /** The writer's clock. A reader whose clock is behind it knows that the clock was set back. */
  written: number;
  /** When the last requests were or will be sent, ascending. */
  slots: number[];
}

export interface BudgetOptions extends Pick<HttpOptions, 'onWait'> {
  folder: string;
  cacheFiles: CacheFiles;
  clock: Clock;
  onDecision(text: string): void;
  /** A profile may set fewer a minute; it cannot set more. */
  most?: number | undefined;
}

/** Where the requests go: `key` is the same for every process that talks to this platform. */
export interface BudgetTarget {
  address: string;
  key: string;
}

/**
 * Takes `count` slots of the budget for the target and waits until they are due; they are due all at once. Rejects
 * with the signal's reason; the slots are then lost for a minute, which errs on the safe side.
 */
export async function takeSlots(
  budget: Budget,
  { address, key }: BudgetTarget,
  count: number,
  { cacheFiles, folder, clock, onDecision, onWait, most }: BudgetOptions,
  signal: AbortSignal,
): Promise<void> {
  const limit = Math.max(count, Math.min(LIMITS[budget], most ?? LIMITS[budget]));
  if (count > LIMITS[budget]) throw new RangeError(`the budget of ${budget} has ${limit} slots, not ${count}`);
  const name = `rate-${budget}-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
  const path = join(folder, `${name}.json`);
  const isNew = !existsSync(path);
  const wait = await cacheFiles.locked(
    join(folder, `${name}.lock`),
    clock,
    () => {
      const now = Math.floor(clock.now());
      const { due, slots } = nextSlots(readSchedule(cacheFiles.read(path), now), now, count, limit);
      cacheFiles.overwrite(path, JSON.stringify({ written: now, slots }).padEnd(FILE_LENGTH));
      return due - now;
    },
    signal,
  );
  if (isNew) removeStale(folder);
  if (wait <= 0) return;
  const why = `aiting ${formatDuration(wait)}: at most ${limit} requests a minute go to ${address}`;
  if (wait >= LONG_WAIT_MS) onDecision(`w${why}`);
  await pause({ text: `W${why}`, isAsked: wait > LONG_WAIT_MS }, wait, { clock, onWait }, signal);
}

/**
 * When `count` further requests may be sent together, so that no window holds more than `limit`; and the schedule
 * with them in it. Requests are served in the order in which they asked.
 */
export function nextSlots(
  taken: readonly number[],
  now: number,
  count: number,
  limit: number,
): { due: number; slots: number[] } {
  const rival = taken[taken.length - (limit - count) - 1];
  const due = Math.max(now, taken.at(-1) ?? now, rival === undefined ? now : rival + WINDOW_MS);
  return { due, slots: [...taken, ...Array<number>(count).fill(due)].slice(-limit) };
}

/** The slots on the reader's clock; none when the file is absent or damaged. */
function readSchedule(text: string | undefined, now: number): number[] {
  const schedule = parseSchedule(text);
  if (!schedule) return [];
  const setBack = Math.max(0, schedule.written - now);
  return schedule.slots.map((slot) => slot - setBack);
}

function parseSchedule(text: string | undefined): Schedule | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch {
    // Damaged: a budget that starts anew is better than a command that never starts.
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { written, slots } = value as Partial<Schedule>;
  if (!Number.isSafeInteger(written) || !Array.isArray(slots)) return undefined;
  const latest = (written ?? 0) + MAX_AHEAD_MS;
  const sound = slots.every(
    (slot, index) => Number.isSafeInteger(slot) && slot >= (slots[index - 1] ?? 0) && slot <= latest,
  );
  return sound ? (value as Schedule) : undefined;
}

/** Removes schedules that say nothing any more: those of addresses that no process has used for an hour. */
function removeStale(folder: string): void {
  const now = systemClock.now();
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    for (const path of names.map((name) => join(folder, name))) {
      const age = now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now);
      const lock = age > MAX_AHEAD_MS ? tryLock(path.replace(/json$/, 'lock')) : undefined;
      if (!lock) continue;
      rmSync(path, { force: true });
      lock.release();
    }
  } catch {
    // Another process may remove them too, and a later one what is left.
  }
}
