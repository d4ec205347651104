// Classifies failed requests (5xx, or no response): a few among many, too many, or an outage.

/** Number of recent requests that count. */
const RECENT = 1000;
/** Tolerated failures: a tenth of the requests, plus ten. */
const TOLERATED = 10;
const TOLERATED_SHARE = 0.1;
/** This many consecutive failures are an outage. */
const IN_A_ROW = 8;

export function createTroubles(startedAt: number) {
  const recent = new Uint8Array(RECENT);
  let count = 0;
  let failures = 0;
  let inARow = 0;
  let succeededAt = startedAt;

  function note(failed: 0 | 1): void {
    const at = count++ % RECENT;
    failures += failed - (recent[at] ?? 0);
    recent[at] = failed;
  }

  return {
    succeeded: (now: number): void => {
      note(0);
      inARow = 0;
      succeededAt = now;
    },
    failed: (): void => {
      note(1);
      inARow++;
    },
    get isOutage(): boolean {
      return inARow >= IN_A_ROW;
    },
    /** True if too many of the recent requests failed. */
    get areMany(): boolean {
      return failures > TOLERATED + Math.min(count, RECENT) * TOLERATED_SHARE;
    },
    /** Milliseconds since the last success or, if there is none, since the start of the run. */
    sinceSuccess: (now: number): number => now - succeededAt,
  };
}

/** A rate from a flag or the profile is trusted from the start; a learned rate is trusted once responses confirm it. */
const AT_KNOWN_RATE = { share: 0.05, least: 4, first: 4 };
const AT_ANY_RATE = { share: 0.1, least: 16, first: 0 };

/**
 * Excuses 429s that say nothing about our rate: another client used up the limit, or a request was counted in the wrong
 * second. More 429s than are excused show that the limit is lower than the rate.
 */
export function createExcuses(rate: number | undefined) {
  const { share, least, first } = rate === undefined ? AT_ANY_RATE : AT_KNOWN_RATE;
  const most = Math.max(least, (rate ?? 0) * share);
  let left = Math.max(first, (rate ?? 0) * share);
  return {
    answered: (): void => {
      left = Math.min(most, left + share);
    },
    /** Returns whether one more 429 is excused, and counts it. */
    take: (): boolean => {
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
