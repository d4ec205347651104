// Excuses 429s that our rate did not cause: another client used up the limit, or a request was counted in the wrong
// second. If there are more 429s than are excused, the limit is lower than our rate.

export type Excuses = ReturnType<typeof createExcuses>;

/** At most this share of the responses may be excused 429s. */
const SHARE = 0.1;
/** A rate from a flag or the profile is trusted from the start; any other rate is trusted once responses confirm it. */
const AT_GIVEN_RATE = { least: 4, first: 4 };
const AT_ANY_RATE = { least: 16, first: 0 };
/** The balance never falls further below zero, so that responses can soon make up for a burst of 429s. */
const MOST_OWED = 5;
/** Once a limit is known, this many times the measured share of 429s below it is excused. */
const NOISE_FACTOR = 2;
/** Accepted responses that are assumed in addition to the real ones, so that a single 429 is only a small share. */
const ASSUMED = 100;
const MOST_REMEMBERED = 2000;
/** At a known limit, the maximum balance is the number of requests in this many seconds, but at least `FEWEST`. */
const EXCUSED_SECONDS = 1 / 3;
const FEWEST = 2;

/** `rate` is the given rate in requests per second. */
export function createExcuses(rate: number | undefined) {
  const { least, first } = rate === undefined ? AT_ANY_RATE : AT_GIVEN_RATE;
  let most = Math.max(least, (rate ?? 0) * SHARE);
  /** The number of 429s that are excused now. If it is negative, that many were not excused recently. */
  let balance = Math.max(first, (rate ?? 0) * SHARE);
  let isLimitKnown = false;
  /** Responses to requests below the learned limit, and the number of 429s among them, which our rate did not cause. */
  let below = 0;
  let strays = 0;

  const perResponse = (): number =>
    isLimitKnown ? Math.min(SHARE, (NOISE_FACTOR * Math.max(0, strays - 1)) / (below + ASSUMED)) : SHARE;
  function remember(stray: 0 | 1): void {
    below++;
    strays += stray;
    if (below < MOST_REMEMBERED) return;
    below /= 2;
    strays /= 2;
  }

  return {
    get balance(): number {
      return balance;
    },
    answered: (isBelowLimit: boolean): void => {
      if (isBelowLimit) remember(0);
      balance = Math.min(most, balance + perResponse());
    },
    /** Counts a 429 and returns whether it is excused. `isStray` is true only for the first of several 429s at once. */
    take: (isStray: boolean): boolean => {
      if (isStray) remember(1);
      const isExcused = balance >= 1;
      balance = Math.max(-MOST_OWED, balance - 1);
      return isExcused;
    },
    /** Records that the platform accepts `accepted` requests per second: 429s now show when the limit is reached. */
    learned: (accepted: number): void => {
      isLimitKnown = true;
      most = Math.min(AT_ANY_RATE.least, Math.max(FEWEST, accepted * EXCUSED_SECONDS));
      balance = (most * perResponse()) / SHARE;
    },
  };
}
