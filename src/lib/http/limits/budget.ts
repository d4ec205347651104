// Pauses between requests: the rate budget that all processes of a user share in an area whose limit is in the
// specification, a profile's rates, and headers that report that a limit is near (decision: D7).
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Budget, Endpoint, Service } from '../../contract/endpoint.ts';
import { readRecord } from '../../kernel/json.ts';
import { formatDuration, parseRate } from '../../kernel/timestamps.ts';
import { type Clock, steadyClock } from '../../kernel/clock.ts';
import { sweepOldFiles } from '../../kernel/temporary-file.ts';
import type { HttpOptions, Wait } from '../types.ts';

/** Below the specification's limit of 100, so that users can still use the platform's web interface. */
const LIMITS: Record<Budget, number> = { roles: 90 };

/** A minute and a second, because requests that are sent a minute apart may arrive closer together. */
const WINDOW_MS = 61_000;

/** A slot further in the future indicates a damaged file, not a queue. */
const MAX_AHEAD_MS = 3_600_000;

/** All slots of a file that was last written longer ago are in the past. */
const SPENT_AFTER_MS = 2 * MAX_AHEAD_MS;

const FILES = /^rate-[a-z]+-[0-9a-f]{16}\.json$/;

/** Every write is padded to this length, so that an interrupted write cannot leave the end of a longer one. */
const FILE_LENGTH = 2048;

const LONG_WAIT_MS = 1000;

interface Schedule {
  /** When the schedule was written. A time in the reader's future means that the clock was set back. */
  written: number;
  /** Times of the latest requests, sent or scheduled, in ascending order. */
  slots: number[];
}

/**
 * `key` is the same in every process that uses this platform. `most` is the profile's limit per minute, which applies if
 * it is lower than the budget's. After an abort, the slots remain taken for a minute.
 */
export async function takeSlots(
  budget: Budget,
  { address, key, most }: { address: string; key: string; most?: number | undefined },
  count: number,
  options: Pick<HttpOptions, 'budgetFolder' | 'cacheFiles' | 'clock' | 'onDecision' | 'onWait'>,
  signal: AbortSignal,
): Promise<void> {
  const { budgetFolder: folder, cacheFiles, clock, onDecision } = options;
  const limit = Math.max(count, Math.min(LIMITS[budget], most ?? LIMITS[budget]));
  if (count > LIMITS[budget]) throw new RangeError(`the budget of ${budget} has ${limit} slots, not ${count}`);
  const name = `rate-${budget}-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
  const path = join(folder, `${name}.json`);
  const wait = await cacheFiles.locked(
    join(folder, `${name}.lock`),
    clock,
    () => {
      const now = Math.floor(clock.now());
      const text = cacheFiles.read(path);
      // A test platform on a free port has a new address at each start.
      if (text === undefined) sweepOldFiles(folder, FILES, SPENT_AFTER_MS);
      const { due, slots } = nextSlots(readSchedule(text, now), now, count, limit);
      cacheFiles.overwrite(path, JSON.stringify({ written: now, slots }).padEnd(FILE_LENGTH));
      return due - now;
    },
    signal,
  );
  if (wait <= 0) return;
  const why = `aiting ${formatDuration(wait)}: all your processes share ${limit} requests per minute for ${budget} at ${address}`;
  if (wait >= LONG_WAIT_MS) onDecision(`w${why}`);
  await pause({ text: `W${why}`, isRequested: wait > LONG_WAIT_MS }, wait, options, signal);
}

/** Returns the new schedule, and when `count` more requests may be sent without exceeding `limit` in any window. */
export function nextSlots(taken: readonly number[], now: number, count: number, limit: number) {
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

const SLOW_FROM_PERCENT = 90;
const PAUSE_MS = 1000;

export function nearsLimit(headers: Record<string, string>): [name: string, value: string] | undefined {
  const header = Object.entries(headers).find(([name]) => name.endsWith('rate-limit-percentage-used'));
  return header !== undefined && Number.parseFloat(header[1]) >= SLOW_FROM_PERCENT ? header : undefined;
}

export function createPace({ clock, onDecision }: { clock: Clock; onDecision(text: string): void }) {
  const { now } = steadyClock(clock);
  const pausedUntil = new Map<Service, number>();
  return {
    learn: (service: Service, headers: Record<string, string>): void => {
      const header = nearsLimit(headers);
      if (header === undefined) return;
      pausedUntil.set(service, now() + PAUSE_MS);
      onDecision(`slowing down: ${header[0]} is ${header[1]}`);
    },
    wait: async (service: Service, signal: AbortSignal): Promise<void> => {
      const left = (pausedUntil.get(service) ?? -Infinity) - now();
      if (left > 0) await clock.sleep(left, signal);
    },
  };
}

export type Waiting = Pick<HttpOptions, 'onWait'> & { clock: Clock };

export async function waitFor<T>(wait: Wait, work: Promise<T>, { onWait }: Pick<HttpOptions, 'onWait'>): Promise<T> {
  const end = onWait?.(wait);
  try {
    return await work;
  } finally {
    end?.();
  }
}

export async function pause(wait: Wait, ms: number, waiting: Waiting, signal: AbortSignal): Promise<void> {
  await waitFor(wait, waiting.clock.sleep(ms, signal), waiting);
}

/** Maps the first part of a call's id to an area in a profile's `limits`. Roles have their own budget. */
const AREA_OF: Readonly<Record<string, string>> = {
  groups: 'groups',
  dsr: 'dsr',
  connections: 'warehouse',
  dataModels: 'warehouse',
  pipelines: 'warehouse',
  seeding: 'seeding',
  intake: 'seeding',
};

/** Bulk runs pace these calls themselves, because a flag may set a different rate. */
const PACED_ELSEWHERE = new Set(['dsr.create', 'seeding.bulk']);

export function createLimits(limits: Readonly<Record<string, string>>, waiting: Waiting) {
  const free = new Map<string, number>();
  const rateOf = (area: string): number | undefined => parseRate(limits[area] ?? '');
  return {
    /** Returns an area's rate in whole requests per minute; undefined if none is set. */
    aMinute: (area: string): number | undefined => {
      const rate = rateOf(area);
      return rate === undefined ? undefined : Math.max(1, Math.floor(rate * 60));
    },
    wait: async ({ id }: Pick<Endpoint, 'id'>, signal: AbortSignal): Promise<void> => {
      const area = AREA_OF[id.split('.', 1)[0] ?? ''];
      const rate = area === undefined || PACED_ELSEWHERE.has(id) ? undefined : rateOf(area);
      if (area === undefined || rate === undefined) return;
      const now = steadyClock(waiting.clock).now();
      const due = Math.max(now, free.get(area) ?? now);
      free.set(area, due + 1000 / rate);
      if (due <= now) return;
      const text = `Waiting for the profile's ${area} limit of ${limits[area]}`;
      await pause({ text }, due - now, waiting, signal);
    },
  };
}
