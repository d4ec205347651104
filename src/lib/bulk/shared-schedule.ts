// Determines when the next request may be sent at a rate shared with other processes. While the store is unreachable,
// this process uses its own share.
import { createSchedule, type Schedule } from '../domain/pacing/schedule.ts';
import type { Clock } from '../kernel/clock.ts';
import type { RateStore } from './rate-store.ts';

export interface SharedRate {
  store: RateStore;
  /** Called the first time the store is unreachable. */
  onLost(error: unknown): void;
}

const RETRY_MS = 5000;
/** Slots are reserved only this far ahead, so that a delayed or killed process wastes few of them. */
const RESERVED_MS = 20;
const MOST_RESERVED = 64;
/** A slot missed by more than this is discarded, because the slots after it may belong to other processes. */
const LATE_MS = 10;

/** `share` is this process's own rate, in requests per second. */
export function createSharedSchedule({ store, onLost }: SharedRate, share: number | undefined, clock: Clock) {
  const own = createSchedule(share);
  let slots: number[] = [];
  let everyMs = 0;
  let isAsking = false;
  let isLost = false;
  let wasLost = false;
  let retryAt = 0;

  function lose(error: unknown): void {
    isLost = true;
    retryAt = clock.now() + RETRY_MS;
    if (!wasLost) onLost(error);
    wasLost = true;
  }

  const schedule = {
    learned: own.learned,
    get isLimitKnown(): boolean {
      return isLost && own.isLimitKnown;
    },
    limited: (sentAt: number, askedMs: number | undefined): void => {
      own.limited(sentAt, askedMs);
      if (!isLost) store.limited(clock.now() - sentAt, askedMs ?? 0).catch(lose);
    },
    get startAt(): number {
      return isLost ? own.startAt : (slots[0] ?? Infinity);
    },
    take: (now: number): void => {
      own.take(now);
      slots.shift();
    },
    /** If no reserved slot is left, reserves up to `most` slots, then calls `changed`. */
    reserve: (most: number, changed: () => void): void => {
      const now = clock.now();
      while ((slots[0] ?? now) < now - LATE_MS) slots.shift();
      if (isAsking || slots.length > 0 || (isLost && now < retryAt)) return;
      isAsking = true;
      const usual = everyMs > 0 ? Math.ceil(RESERVED_MS / everyMs) : MOST_RESERVED;
      const count = Math.max(1, Math.min(most, usual, MOST_RESERVED));
      void store
        .take(count)
        .then((granted) => {
          everyMs = granted.everyMs;
          const from = clock.now() + granted.inMs;
          slots = Array.from({ length: count }, (_, index) => from + index * everyMs);
          isLost = false;
        }, lose)
        .finally(() => {
          isAsking = false;
          changed();
        });
    },
  } satisfies Schedule & Record<string, unknown>;
  return schedule;
}
