// Requests that the platform counts into the wrong second, because one overtook another on the way.

/** Requests that may arrive too soon at a wanted rate: a share of those answered, and a minimum at once. */
const EXCUSED_SHARE = 0.05;
const MIN_EXCUSED = 4;

/** At a known rate one in twenty is excused; with more of them, the limit is lower than the rate. */
export function createEarlyArrivals(rate: number | undefined) {
  const most = rate === undefined ? 0 : Math.max(MIN_EXCUSED, rate * EXCUSED_SHARE);
  let left = most;
  return {
    answered: (): void => {
      left = Math.min(most, left + EXCUSED_SHARE);
    },
    /** Whether a "too many" may come from the way there, on which one request overtook another. */
    excuses: (): boolean => {
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
