// Learns from 429s which rate a platform accepts: stays a little below it, and tries slightly higher rates after a
// while. Follows the CUBIC curve (RFC 9438): steep far below the last limit, flat near it, and steep beyond it.
import { smallest } from '../../kernel/numbers.ts';

export type LearnedRate = ReturnType<typeof createLearnedRate>;

const SECOND_MS = 1000;
/** Maximum number of remembered requests. More would not make the rate more accurate. */
const MAX_REMEMBERED = 4096;
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
/** A first 429 with a longer pause than this may be due to other clients, so it does not show the rate. */
const LONGEST_FIRST_WAIT_MS = 5000;
const CLEARLY_FEWER = 0.8;
/** This many 429s at once, or beyond the excused ones, are unlikely to be due to other clients. */
const MANY = 5;

interface Limit {
  sentAt: number;
  /** Number of requests rejected at the same time, and when the last of them was sent. */
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

/** `wanted` is the rate from a flag or the profile, which is trusted unless the platform accepts clearly less. */
export function createLearnedRate(wanted = Infinity) {
  const sent = new Float64Array(MAX_REMEMBERED).fill(-Infinity);
  let count = 0;
  let takenSinceLast = 0;
  let takenBeforeLast = 0;
  let firstAt = Infinity;
  let resumedAt = -Infinity;
  /** Number of 429s in a row below the learned limit. Other clients may have caused the first, so it changes nothing. */
  let unexplained = 0;
  let met: Limit | undefined;
  let last: Limit | undefined;
  let curve: Curve | undefined;

  /** Returns the accepted rate per second: the number of requests sent and accepted in the second before `at`. */
  function takenBefore(at: number): number {
    const within = sent.filter((one) => one > at - SECOND_MS && one <= at);
    return within.length < MAX_REMEMBERED ? within.length : (within.length / (at - smallest(within))) * SECOND_MS;
  }

  /** Returns the allowed requests per second at `now`; `Infinity` until a rate has been learned. */
  function at(now: number): number {
    if (curve === undefined) return Infinity;
    const { from, low, high, returnMs } = curve;
    return high + (high - low) * (Math.max(0, now - from) / returnMs - 1) ** 3;
  }

  const isBelow = (sentAt: number): boolean => curve !== undefined && sentAt - curve.from < curve.returnMs;
  /** Returns whether a full second of requests preceded `sentAt`: a pause makes a second look slower than it was. */
  const isFullSecond = (sentAt: number): boolean => sentAt - Math.max(resumedAt, firstAt) >= SECOND_MS;

  /** Returns whether a 429 shows a limit that is not known yet: other clients probably did not cause it. */
  function tells({ askedMs = 0, sentAt, rejected }: Limit, taken: number, balance: number): boolean {
    const isExact = taken >= WELL_KNOWN && isFullSecond(sentAt);
    if (last === undefined && (!isExact || askedMs > LONGEST_FIRST_WAIT_MS)) return false;
    // The same number of requests between two pauses shows a limit; different numbers may not.
    const isRepeated = Math.abs(takenSinceLast - takenBeforeLast) <= Math.max(1, takenSinceLast * SAME_LIMIT);
    const areMany = rejected >= MANY || balance < (isExact ? -1 : 1 - MANY);
    return (areMany || (isRepeated && taken >= WELL_KNOWN)) && (isExact || isRepeated || rejected > 1);
  }

  function learn(limit: Limit, balance: number): Omit<Curve, 'from'> | undefined {
    const { sentAt, untilAt } = limit;
    const kept = at(sentAt);
    // At an unlimited rate, requests sent at the same moment arrive in any order.
    const counted = takenBefore(curve === undefined ? untilAt : sentAt);
    const taken = curve === undefined || isFullSecond(sentAt) ? counted : kept;
    if (counted === 0 || counted > wanted * CLEARLY_FEWER) return undefined;
    if (curve === undefined && !tells(limit, counted, balance)) return undefined;
    unexplained = isBelow(sentAt) && taken > kept * 0.9 ? unexplained + 1 : 0;
    const sinceMs = last === undefined ? Infinity : sentAt - last.sentAt;
    // The count is a whole number, so the real rate may be up to one request higher.
    const high = taken + 1 > kept ? kept : taken;
    const isSoon = curve !== undefined && sinceMs < SOON_MS;
    // The platform clearly accepts the rate at which requests were sent between two 429s.
    const sure = sinceMs < SECOND_MS ? 0 : (takenSinceLast / sinceMs) * SECOND_MS;
    const low = Math.min(high, Math.max(sure, high * (isSoon ? STEP_DOWN / HEADROOM : 1))) * HEADROOM;
    const isSame = curve !== undefined && Math.abs(high / curve.high - 1) <= SAME_LIMIT;
    const least = RETURN_MS * Math.min(1, taken / WELL_KNOWN);
    const returnMs = curve !== undefined && isSame && !isSoon ? Math.min(MAX_RETURN_MS, 2 * curve.returnMs) : least;
    return { low, high, returnMs };
  }

  return {
    at,
    isBelow,
    isKnown: (): boolean => curve !== undefined,
    accepted: (sentAt: number): void => {
      firstAt = Math.min(firstAt, sentAt);
      sent[count++ % MAX_REMEMBERED] = sentAt;
      takenSinceLast++;
    },
    /** Records a 429: `sentAt` is the time of the first rejected request, and `askedMs` the requested pause. */
    limited: (sentAt: number, askedMs: number | undefined): void => {
      met ??= { sentAt, askedMs, rejected: 0, untilAt: sentAt };
      met.rejected++;
      met.untilAt = Math.max(met.untilAt, sentAt);
    },
    /**
     * Records that the first request after the 429 was accepted at `now`, and that all earlier requests have
     * responses. Returns the rate if it changed. `balance` is the number of 429s that are excused.
     */
    resumed: (now: number, balance: number): number | undefined => {
      if (met === undefined) return undefined;
      const learned = learn(met, balance);
      const isUnexplained = unexplained === 1 && at(now) >= WELL_KNOWN;
      if (curve !== undefined && isUnexplained) curve.from = now;
      else if (learned) curve = { ...learned, from: now };
      last = met;
      resumedAt = now;
      takenBeforeLast = takenSinceLast;
      met = undefined;
      takenSinceLast = 0;
      return isUnexplained ? undefined : learned?.low;
    },
  };
}
