// The rate budget of an area whose limit the specification fixes, shared by all processes of one user (decision: D7).
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { Budget } from '../contract/endpoint.ts';
import type { Clock } from '../kernel/clock.ts';
import { readPrivateFile, writePrivateFile } from '../kernel/durable.ts';
import { sha256Hex } from '../kernel/light-names.ts';
import { withLock } from '../kernel/lock.ts';
import { formatDuration } from '../kernel/timestamps.ts';
import { pause } from './pause.ts';
import type { HttpOptions } from './types.ts';

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
  clock: Clock;
  onDecision(text: string): void;
  /** A profile may set fewer a minute; it cannot set more. */
  most?: number | undefined;
}

/**
 * Takes `count` slots of the budget for `address` and waits until they are due; they are due all at once. Rejects
 * with the signal's reason; the slots are then lost for a minute, which errs on the safe side.
 */
export async function takeSlots(
  budget: Budget,
  address: string,
  count: number,
  { folder, clock, onDecision, onWait, most }: BudgetOptions,
  signal: AbortSignal,
): Promise<void> {
  const limit = Math.max(count, Math.min(LIMITS[budget], most ?? LIMITS[budget]));
  if (count > LIMITS[budget]) throw new RangeError(`the budget of ${budget} has ${limit} slots, not ${count}`);
  const name = `rate-${budget}-${sha256Hex(address).slice(0, 16)}`;
  const path = join(folder, `${name}.json`);
  const wait = await withLock(
    join(folder, `${name}.lock`),
    clock,
    () => {
      const now = Math.floor(clock.now());
      const { due, slots } = nextSlots(readSchedule(path, now), now, count, limit);
      writeSchedule(path, { written: now, slots });
      return due - now;
    },
    signal,
  );
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
function readSchedule(path: string, now: number): number[] {
  const schedule = parseSchedule(readPrivateFile(path));
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

/**
 * Written in place under the lock: a killed process leaves the old text or the new one, and unlike `writePrivateFile`
 * this does not wait for the disk, which a schedule of one minute does not need.
 */
function writeSchedule(path: string, schedule: Schedule): void {
  const text = JSON.stringify(schedule).padEnd(FILE_LENGTH);
  if (!fs.existsSync(path)) {
    writePrivateFile(path, text);
    return;
  }
  const descriptor = fs.openSync(path, 'r+');
  try {
    fs.writeSync(descriptor, text, 0);
  } finally {
    fs.closeSync(descriptor);
  }
}
