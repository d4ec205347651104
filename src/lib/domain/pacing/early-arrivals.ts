// Requests that the platform counts into the wrong second, because one overtook another on the way.

/** Requests that may come too soon at a wanted rate: as a share of those answered, and at least so many at once. */
const EXCUSED_SHARE = 0.05;
const MIN_EXCUSED = 4;

export interface EarlyArrivals {
  answered(): void;
  /** Whether a "too many" may come from the way there, on which one request overtook another. */
  excuses(): boolean;
}

/** At a rate that is told to us, one in twenty; when there are more, the limit is lower than the rate. */
export function createEarlyArrivals(rate: number | undefined): EarlyArrivals {
  const most = rate === undefined ? 0 : Math.max(MIN_EXCUSED, rate * EXCUSED_SHARE);
  let left = most;
  return {
    answered: () => {
      left = Math.min(most, left + EXCUSED_SHARE);
    },
    excuses: () => {
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
