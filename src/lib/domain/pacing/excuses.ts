// 429s that say nothing about our rate: another client used up the limit, or a request was counted in the wrong second.

/** A rate from a flag or the profile is trusted from the start, any other rate only after responses have shown it. */
const AT_KNOWN_RATE = { share: 0.05, least: 4, first: 4 };
const AT_ANY_RATE = { share: 0.1, least: 16, first: 0 };

/** With more than are excused, the limit is lower than the rate. */
export function createExcuses(rate: number | undefined) {
  const { share, least, first } = rate === undefined ? AT_ANY_RATE : AT_KNOWN_RATE;
  const most = Math.max(least, (rate ?? 0) * share);
  let left = Math.max(first, (rate ?? 0) * share);
  return {
    answered: (): void => {
      left = Math.min(most, left + share);
    },
    /** Whether one more is excused. */
    take: (): boolean => {
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
