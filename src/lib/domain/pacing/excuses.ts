// Answers of "too many" that say nothing of our rate: another client used the same limit up, or one request overtook
// another on the way and was counted into the wrong second.

/** A rate that somebody told to be right is trusted from the start; any other once answers have shown it. */
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
