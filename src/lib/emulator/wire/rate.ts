// Limits requests per key in a sliding time window.

const MINUTE_MS = 60_000;

/** Returns a limiter that allows at most `limit` requests per key in any window of `span` milliseconds. */
export function createRateWindow(limit: number, span = MINUTE_MS) {
  const windows = new Map<number, number[]>();
  return {
    /** Counts a request. If the window is full, returns the seconds to wait, and does not count it (decision: D91). */
    take: (key: number, now: number): number | undefined => {
      // If the clock was set back, requests with a future time no longer count.
      const times = (windows.get(key) ?? []).filter((time) => time > now - span && time <= now);
      windows.set(key, times);
      if (times.length < limit) {
        times.push(now);
        return undefined;
      }
      // The next request is allowed when the oldest of the last `limit` requests leaves the window.
      const leaving = times.at(-limit) ?? now;
      return Math.max(1, Math.ceil((leaving + span - now) / 1000));
    },
    clear: (): void => windows.clear(),
  };
}
