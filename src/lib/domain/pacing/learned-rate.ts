// Learns the rate that a platform accepts from its 429s: stays a little below it, and tries a little more after a while. The
// curve is CUBIC's (RFC 9438): steep far below the last limit, flat near it, steep beyond.

export type LearnedRate = ReturnType<typeof createLearnedRate>;

const SECOND_MS = 1000;
/** Number of remembered requests; more would not make the rate more exact. */
const MAX_REMEMBERED = 4096;
/** Share of the rate that was too high. */
const HEADROOM = 0.97;
/** The same where the next limit follows soon, since it was far too much: a store of requests was used up at first. */
const STEP_DOWN = 0.85;
const SOON_MS = 5000;
/** Until the rate is again what was too much; twice as long each time that the limit was where it had been. */
const RETURN_MS = 45_000;
const MAX_RETURN_MS = 180_000;
const SAME_LIMIT = 0.1;
/** A rate of fewer requests than that is known badly, and is left sooner. */
const WELL_KNOWN = 20;
/** A first limit that asks for a longer wait may be used up by others, and says nothing about the rate. */
const LONGEST_FIRST_WAIT_MS = 5000;
const CLEARLY_FEWER = 0.8;

interface Limit {
  sentAt: number;
  askedMs: number | undefined;
}

/** From `low` at the time `from` by way of `high`, which was too much, after `returnMs`. */
interface Curve {
  from: number;
  low: number;
  high: number;
  returnMs: number;
}

/** `wanted` is the rate of a flag or the profile. It is right unless the platform accepts clearly fewer. */
export function createLearnedRate(wanted = Infinity) {
  const sent = new Float64Array(MAX_REMEMBERED).fill(-Infinity);
  let count = 0;
  let takenSinceLast = 0;
  let firstAt = Infinity;
  let met: Limit | undefined;
  let last: Limit | undefined;
  let curve: Curve | undefined;

  /** Requests a second: those that were taken of the second before. */
  function takenBefore(at: number): number {
    const within = sent.filter((one) => one > at - SECOND_MS && one <= at);
    return within.length < MAX_REMEMBERED ? within.length : (within.length / (at - Math.min(...within))) * SECOND_MS;
  }

  /** Requests a second that may go at `now`; `Infinity` until something was learned. */
  function at(now: number): number {
    if (curve === undefined) return Infinity;
    const { from, low, high, returnMs } = curve;
    return high + (high - low) * (Math.max(0, now - from) / returnMs - 1) ** 3;
  }

  /** Whether a first limit is informative: other clients may have caused it. */
  function tells({ askedMs = 0, sentAt }: Limit, taken: number): boolean {
    return taken >= WELL_KNOWN && sentAt - firstAt >= SECOND_MS && askedMs <= LONGEST_FIRST_WAIT_MS;
  }

  function learn(limit: Limit): Omit<Curve, 'from'> | undefined {
    const taken = takenBefore(limit.sentAt);
    const sinceMs = last === undefined ? Infinity : limit.sentAt - last.sentAt;
    if (taken === 0 || taken > wanted * CLEARLY_FEWER || (last === undefined && !tells(limit, taken))) return undefined;
    const kept = at(limit.sentAt);
    // The second holds whole requests only.
    const high = taken + 1 > kept ? kept : taken;
    const isSoon = curve !== undefined && sinceMs < SOON_MS;
    // The platform certainly accepts the rate between two limits.
    const sure = sinceMs < SECOND_MS ? 0 : (takenSinceLast / sinceMs) * SECOND_MS;
    const low = Math.min(high, Math.max(sure, high * (isSoon ? STEP_DOWN / HEADROOM : 1))) * HEADROOM;
    const isSame = curve !== undefined && Math.abs(high / curve.high - 1) <= SAME_LIMIT;
    const least = RETURN_MS * Math.min(1, taken / WELL_KNOWN);
    const returnMs = curve !== undefined && isSame && !isSoon ? Math.min(MAX_RETURN_MS, 2 * curve.returnMs) : least;
    return { low, high, returnMs };
  }

  return {
    at,
    /** Whether a limit was found. */
    isKnown: (): boolean => curve !== undefined,
    /** A request that was sent at `sentAt` was taken. */
    accepted: (sentAt: number): void => {
      firstAt = Math.min(firstAt, sentAt);
      sent[count++ % MAX_REMEMBERED] = sentAt;
      takenSinceLast++;
    },
    /** Of the requests that were one too many together, the first was sent at `sentAt`; `askedMs` is the requested wait. */
    limited: (sentAt: number, askedMs: number | undefined): void => {
      met ??= { sentAt, askedMs };
    },
    /** The first request after that was taken at `now`, and all before it are answered. The rate, when it is a new one. */
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
