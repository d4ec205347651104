// Learns the rate that a platform accepts from its 429s: stays a little below it, and tries slightly higher rates after
// a while. The
// curve is CUBIC's (RFC 9438): steep far below the last limit, flat near it, steep beyond.
import { smallest } from '../../kernel/numbers.ts';

export type LearnedRate = ReturnType<typeof createLearnedRate>;

const SECOND_MS = 1000;
/** Number of remembered requests; more would not make the rate more exact. */
const MAX_REMEMBERED = 4096;
/** Fraction of the rate that was too high. */
const HEADROOM = 0.97;
/**
 * The same if the next limit follows soon, because the rate was far too high: the first requests used up a burst
 * allowance.
 */
const STEP_DOWN = 0.85;
const SOON_MS = 5000;
/** Time until the rate returns to the one that was too high; doubles each time that the limit is unchanged. */
const RETURN_MS = 45_000;
const MAX_RETURN_MS = 180_000;
const SAME_LIMIT = 0.1;
/** A rate from fewer requests than this is inexact, and is left sooner. */
const WELL_KNOWN = 20;
/** A first limit with a longer requested pause may have been used up by others, and says nothing about the rate. */
const LONGEST_FIRST_WAIT_MS = 5000;
const CLEARLY_FEWER = 0.8;

interface Limit {
  sentAt: number;
  askedMs: number | undefined;
}

/** Starts from `low` at time `from`, and passes `high`, which was too high, after `returnMs`. */
interface Curve {
  from: number;
  low: number;
  high: number;
  returnMs: number;
}

/**
 * `wanted` is the rate of a flag or the profile. It is assumed to be right unless the platform accepts clearly fewer.
 */
export function createLearnedRate(wanted = Infinity) {
  const sent = new Float64Array(MAX_REMEMBERED).fill(-Infinity);
  let count = 0;
  let takenSinceLast = 0;
  let firstAt = Infinity;
  let met: Limit | undefined;
  let last: Limit | undefined;
  let curve: Curve | undefined;

  /** Requests per second: those of the previous second that were accepted. */
  function takenBefore(at: number): number {
    const within = sent.filter((one) => one > at - SECOND_MS && one <= at);
    return within.length < MAX_REMEMBERED ? within.length : (within.length / (at - smallest(within))) * SECOND_MS;
  }

  /** The allowed requests per second at `now`; `Infinity` until a rate was learned. */
  function at(now: number): number {
    if (curve === undefined) return Infinity;
    const { from, low, high, returnMs } = curve;
    return high + (high - low) * (Math.max(0, now - from) / returnMs - 1) ** 3;
  }

  /** True if a first limit is informative: other clients may have caused it. */
  function tells({ askedMs = 0, sentAt }: Limit, taken: number): boolean {
    return taken >= WELL_KNOWN && sentAt - firstAt >= SECOND_MS && askedMs <= LONGEST_FIRST_WAIT_MS;
  }

  function learn(limit: Limit): Omit<Curve, 'from'> | undefined {
    const taken = takenBefore(limit.sentAt);
    const sinceMs = last === undefined ? Infinity : limit.sentAt - last.sentAt;
    if (taken === 0 || taken > wanted * CLEARLY_FEWER || (last === undefined && !tells(limit, taken))) return undefined;
    const kept = at(limit.sentAt);
    // A second contains only whole requests.
    const high = taken + 1 > kept ? kept : taken;
    const isSoon = curve !== undefined && sinceMs < SOON_MS;
    // The platform certainly accepts the rate that was sent between two limits.
    const sure = sinceMs < SECOND_MS ? 0 : (takenSinceLast / sinceMs) * SECOND_MS;
    const low = Math.min(high, Math.max(sure, high * (isSoon ? STEP_DOWN / HEADROOM : 1))) * HEADROOM;
    const isSame = curve !== undefined && Math.abs(high / curve.high - 1) <= SAME_LIMIT;
    const least = RETURN_MS * Math.min(1, taken / WELL_KNOWN);
    const returnMs = curve !== undefined && isSame && !isSoon ? Math.min(MAX_RETURN_MS, 2 * curve.returnMs) : least;
    return { low, high, returnMs };
  }

  return {
    at,
    /** True once a limit was found. */
    isKnown: (): boolean => curve !== undefined,
    /** A request that was sent at `sentAt` was accepted. */
    accepted: (sentAt: number): void => {
      firstAt = Math.min(firstAt, sentAt);
      sent[count++ % MAX_REMEMBERED] = sentAt;
      takenSinceLast++;
    },
    /** A limit was hit: the first of the rejected requests was sent at `sentAt`; `askedMs` is the requested pause. */
    limited: (sentAt: number, askedMs: number | undefined): void => {
      met ??= { sentAt, askedMs };
    },
    /**
     * The first request after the limit was accepted at `now`, and all earlier ones have their responses. The rate if
     * it changed.
     */
    resumed: (now: number): number | undefined => {
      if (met === undefined) return undefined;
      const learned = learn(met);
      if (learned) curve = { ...learned, from: now };
      last = met;
      met = undefined;
      takenSinceLast = 0;
      return learned?.low;
    },
  };
}
