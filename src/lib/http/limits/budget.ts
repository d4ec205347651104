// The rate budget of an area whose limit is in the specification. All processes of a user share it (decision: D7).
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Budget } from '../../contract/endpoint.ts';
import { readRecord } from '../../kernel/json.ts';
import { formatDuration } from '../../kernel/timestamps.ts';
import { pause } from './pace.ts';
import type { HttpOptions } from '../types.ts';

/** Below the specification's limit of 100, so that users can still use the platform's web interface. */
const LIMITS: Record<Budget, number> = { roles: 90 };

/** A minute and a second, because requests that are sent a minute apart may arrive closer together. */
const WINDOW_MS = 61_000;

/** A slot further in the future indicates a damaged file, not a queue. */
const MAX_AHEAD_MS = 3_600_000;

/** Every write is padded to this length, so that an interrupted write cannot leave the end of a longer one. */
const FILE_LENGTH = 2048;

const LONG_WAIT_MS = 1000;

interface Schedule {
  /** When the schedule was written. A time in the reader's future means that the clock was set back. */
  written: number;
  /** Times of the latest requests, sent or scheduled, in ascending order. */
  slots: number[];
}

export interface BudgetOptions extends Pick<HttpOptions, 'cacheFiles' | 'clock' | 'onDecision' | 'onWait'> {
  folder: string;
  /** The profile's limit per minute. Applies only if it is lower than the budget's. */
  most?: number | undefined;
}

/** `key` is the same in every process that uses this platform. After an abort, the slots remain taken for a minute. */
export async function takeSlots(
  budget: Budget,
  { address, key }: { address: string; key: string },
  count: number,
  { cacheFiles, folder, clock, onDecision, onWait, most }: BudgetOptions,
  signal: AbortSignal,
): Promise<void> {
  const limit = Math.max(count, Math.min(LIMITS[budget], most ?? LIMITS[budget]));
  if (count > LIMITS[budget]) throw new RangeError(`the budget of ${budget} has ${limit} slots, not ${count}`);
  const name = `rate-${budget}-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
  const path = join(folder, `${name}.json`);
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
  if (wait <= 0) return;
  const why = `aiting ${formatDuration(wait)}: all your processes share ${limit} requests per minute for ${budget} at ${address}`;
  if (wait >= LONG_WAIT_MS) onDecision(`w${why}`);
  await pause({ text: `W${why}`, isRequested: wait > LONG_WAIT_MS }, wait, { clock, onWait }, signal);
}

/** Returns the new schedule, and when `count` more requests may be sent without exceeding `limit` in any window. */
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

/** Returns the schedule, adjusted to the reader's clock. A damaged file counts as an empty schedule. */
function readSchedule(text: string | undefined, now: number): number[] {
  const { written = NaN, slots } = readRecord<Schedule>(text) ?? {};
  if (!Number.isSafeInteger(written) || !Array.isArray(slots)) return [];
  const isSound = slots.every(
    (slot, index) => Number.isSafeInteger(slot) && slot >= (slots[index - 1] ?? 0) && slot <= written + MAX_AHEAD_MS,
  );
  const setBack = Math.max(0, written - now);
  return isSound ? slots.map((slot) => slot - setBack) : [];
}
