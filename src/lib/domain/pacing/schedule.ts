// Determines when the next request may be sent: at the requested rate, or at a lower, learned rate.
import { LearnedRate } from './learned-rate.ts';

/** Maximum delay of a late timer that is made up for, to maintain the requested rate. */
const CATCH_UP_MS = 250;
/** Requests catch up gradually: a burst would exceed the limit a second later. */
const CATCH_UP_PACE = 0.8;
const CATCH_UP_AT_ONCE_MS = 10;

export type Schedule = ReturnType<typeof createSchedule>;

/** `rate` is the requested rate in requests per second, if any. All times are milliseconds on one clock. */
export function createSchedule(rate: number | undefined) {
  const interval = rate === undefined ? 0 : 1000 / rate;
  const slots = rate === undefined ? undefined : createSlots(rate);
  const learned = new LearnedRate(rate);
  let nextAt = 0;
  let soonestAt = 0;
  return {
    learned,
    get isLimitKnown(): boolean {
      return learned.isKnown;
    },
    limited: (sentAt: number, askedMs: number | undefined): void => learned.limited(sentAt, askedMs),
    get startAt(): number {
      return Math.max(nextAt, soonestAt, slots?.from ?? 0);
    },
    take: (now: number): void => {
      slots?.take(now);
      const learnedInterval = 1000 / learned.at(now);
      if (learnedInterval > interval) {
        nextAt = Math.max(nextAt, now - CATCH_UP_AT_ONCE_MS) + learnedInterval;
      } else if (interval > 0) {
        nextAt = Math.max(nextAt, now - CATCH_UP_MS) + interval;
        soonestAt = Math.max(soonestAt, now - CATCH_UP_AT_ONCE_MS) + interval * CATCH_UP_PACE;
      }
    },
  };
}

/** Maximum number of remembered requests. For higher rates, the window is shorter than a second. */
const MAX_SLOTS = 10_000;
/** A slow request may arrive together with later requests, so our window is slightly longer than one second. */
const MARGIN = 1.01;

/** Limits the requests in any one-second window, like a platform that rejects the first excess request with a 429. */
export function createSlots(rate: number) {
  const count = Math.min(MAX_SLOTS, Math.max(1, Math.ceil(rate)));
  const stretchMs = (count / rate) * 1000 * MARGIN;
  const taken = new Float64Array(count).fill(-Infinity);
  let oldest = 0;
  return {
    get from(): number {
      return (taken[oldest] as number) + stretchMs;
    },
    take: (now: number): void => {
      taken[oldest] = now;
      oldest = (oldest + 1) % count;
    },
  };
}
