// Determines when the next request may be sent: at the requested rate, or at a lower rate that is learned from 429s. The
// learned rate stays a little below the limit, and tries slightly higher rates after a while. Follows the CUBIC curve (RFC
// 9438): steep far below the last limit, flat near it, and steep beyond it.
import { smallest } from '../../kernel/words.ts';

const SECOND_MS = 1000;
/** Learned rate as a fraction of the rate that was too high. */
const HEADROOM = 0.97;
/** Fraction if the next 429 follows soon: the rate was far too high, because it included a burst allowance. */
const STEP_DOWN = 0.85;
const SOON_MS = 5000;
/** Time to climb back to the rate that last triggered a 429. Doubles each time the limit turns out to be the same. */
const RETURN_MS = 45_000;
const MAX_RETURN_MS = 180_000;
const SAME_LIMIT = 0.1;
/** A rate based on fewer requests than this is inexact, so it is replaced sooner. */
const WELL_KNOWN = 20;
/** A first 429 with a longer pause than this may be due to other clients, so no rate is learned from it. */
const LONGEST_FIRST_WAIT_MS = 5000;
const CLEARLY_FEWER = 0.8;
/** This many 429s at once, or beyond the excused ones, are unlikely to be due to other clients. */
const MANY = 5;
/** Maximum number of remembered requests. More requests would not make the rate more accurate. */
const MAX_REMEMBERED = 4096;

interface Limit {
  sentAt: number;
  /** Number of requests that were rejected together, and the time when the last of them was sent. */
  rejected: number;
  untilAt: number;
  askedMs: number | undefined;
}

/** A rate that rises from `low` at time `from` to `high`, the rate that was too high, within `returnMs`. */
interface Curve {
  from: number;
  low: number;
  high: number;
  returnMs: number;
}

export class LearnedRate {
  readonly #wanted: number;
  readonly #accepted = createSentTimes();
  #acceptedSinceLast = 0;
  #acceptedBeforeLast = 0;
  #resumedAt = -Infinity;
  /** Consecutive 429s below the learned limit. Other clients may have caused the first one, so it changes nothing. */
  #unexplained = 0;
  #met: Limit | undefined;
  #last: Limit | undefined;
  #curve: Curve | undefined;

  /** `wanted`, the requested rate, is trusted unless clearly fewer requests are accepted or 429s recur. */
  constructor(wanted = Infinity) {
    this.#wanted = wanted;
  }

  get isKnown(): boolean {
    return this.#curve !== undefined;
  }

  /** Returns the allowed requests per second at `now`; `Infinity` until a rate has been learned. */
  at(now: number): number {
    if (this.#curve === undefined) return Infinity;
    const { from, low, high, returnMs } = this.#curve;
    return high + (high - low) * (Math.max(0, now - from) / returnMs - 1) ** 3;
  }

  isBelow(sentAt: number): boolean {
    return this.#curve !== undefined && sentAt - this.#curve.from < this.#curve.returnMs;
  }

  accepted(sentAt: number): void {
    this.#accepted.record(sentAt);
    this.#acceptedSinceLast++;
  }

  /** Records a 429: the request was sent at `sentAt`, and `askedMs` is the requested pause. */
  limited(sentAt: number, askedMs: number | undefined): void {
    this.#met ??= { sentAt, askedMs, rejected: 0, untilAt: sentAt };
    this.#met.rejected++;
    this.#met.untilAt = Math.max(this.#met.untilAt, sentAt);
  }

  /**
   * Records that the first request after the 429 was accepted at `now`, and that all earlier requests have responses.
   * Returns the rate if it changed. `balance` is the number of 429s that are excused.
   */
  resumed(now: number, balance: number): number | undefined {
    if (this.#met === undefined) return undefined;
    const rate = this.#learn(now, this.#met, balance);
    this.#last = this.#met;
    this.#met = undefined;
    this.#resumedAt = now;
    this.#acceptedBeforeLast = this.#acceptedSinceLast;
    this.#acceptedSinceLast = 0;
    return rate;
  }

  #learn(now: number, limit: Limit, balance: number): number | undefined {
    const { sentAt, untilAt } = limit;
    // At an unlimited rate, requests sent at the same moment arrive in any order.
    const counted = this.#accepted.perSecondBefore(this.isKnown ? sentAt : untilAt);
    // If the requested rate is only slightly too high, several 429s follow in quick succession.
    const isTrusted = counted > this.#wanted * CLEARLY_FEWER && this.#msSinceLast(sentAt) >= SOON_MS;
    if (counted === 0 || isTrusted) return undefined;
    if (!this.isKnown && !this.#tells(limit, counted, balance)) return undefined;
    const allowed = this.at(sentAt);
    const taken = this.isKnown && !this.#isFullSecond(sentAt) ? allowed : counted;
    this.#unexplained = this.isBelow(sentAt) && taken > allowed * 0.9 ? this.#unexplained + 1 : 0;
    if (this.#curve !== undefined && this.#unexplained === 1 && this.at(now) >= WELL_KNOWN) {
      this.#curve.from = now;
      return undefined;
    }
    // The count is a whole number, so the real rate may be up to one request higher.
    const high = taken + 1 > allowed ? allowed : taken;
    this.#curve = { from: now, ...this.#nextCurve(sentAt, high, taken) };
    return this.#curve.low;
  }

  /** Returns the curve to the rate `high`, which was too high; `taken` is the rate that the platform accepted. */
  #nextCurve(sentAt: number, high: number, taken: number): Omit<Curve, 'from'> {
    const sinceMs = this.#msSinceLast(sentAt);
    const isSoon = this.isKnown && sinceMs < SOON_MS;
    // The platform clearly accepts the rate at which requests were sent between two 429s.
    const sure = sinceMs < SECOND_MS ? 0 : (this.#acceptedSinceLast / sinceMs) * SECOND_MS;
    const low = Math.min(high, Math.max(sure, high * (isSoon ? STEP_DOWN / HEADROOM : 1))) * HEADROOM;
    const isSame = this.#curve !== undefined && Math.abs(high / this.#curve.high - 1) <= SAME_LIMIT;
    if (this.#curve !== undefined && isSame && !isSoon)
      return { low, high, returnMs: Math.min(MAX_RETURN_MS, 2 * this.#curve.returnMs) };
    return { low, high, returnMs: RETURN_MS * Math.min(1, taken / WELL_KNOWN) };
  }

  /** Returns whether a 429 shows a limit that is not known yet: other clients probably did not cause it. */
  #tells({ askedMs = 0, sentAt, rejected }: Limit, taken: number, balance: number): boolean {
    const isExact = taken >= WELL_KNOWN && this.#isFullSecond(sentAt);
    if (this.#last === undefined && (!isExact || askedMs > LONGEST_FIRST_WAIT_MS)) return false;
    // A limit causes pauses after the same number of requests; other clients cause them after different numbers.
    const change = Math.abs(this.#acceptedSinceLast - this.#acceptedBeforeLast);
    const isRepeated = change <= Math.max(1, this.#acceptedSinceLast * SAME_LIMIT);
    const areMany = rejected >= MANY || balance < (isExact ? -1 : 1 - MANY);
    return (areMany || (isRepeated && taken >= WELL_KNOWN)) && (isExact || isRepeated || rejected > 1);
  }

  #msSinceLast(sentAt: number): number {
    return this.#last === undefined ? Infinity : sentAt - this.#last.sentAt;
  }

  /** Returns whether a full second of requests preceded `sentAt`: right after a pause, the count is too low. */
  #isFullSecond(sentAt: number): boolean {
    return sentAt - Math.max(this.#resumedAt, this.#accepted.firstAt()) >= SECOND_MS;
  }
}

/** Remembers when requests were sent, to count them per second. */
function createSentTimes() {
  const times = new Float64Array(MAX_REMEMBERED).fill(-Infinity);
  let count = 0;
  let firstAt = Infinity;
  return {
    firstAt: () => firstAt,
    record: (at: number): void => {
      times[count++ % MAX_REMEMBERED] = at;
      firstAt = Math.min(firstAt, at);
    },
    perSecondBefore: (at: number): number => {
      const within = times.filter((one) => one > at - SECOND_MS && one <= at);
      return within.length < MAX_REMEMBERED ? within.length : (within.length / (at - smallest(within))) * SECOND_MS;
    },
  };
}

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
    wasBlocked: (from: number, to: number): void => slots?.delayed(from, to),
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
    /** Records that the program was blocked: requests recorded since `from` were not sent until `now`. */
    delayed: (from: number, now: number): void => {
      for (const [slot, at] of taken.entries()) if (at >= from) taken[slot] = now;
    },
  };
}
