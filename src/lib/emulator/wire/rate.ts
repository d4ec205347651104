// Limits requests per key in a sliding time window.

const MINUTE_MS = 60_000;

export interface RateOptions {
  /** Milliseconds. Default: one minute. */
  span?: number;
  /** Returns the times (epoch ms, ascending) of a key's requests that an earlier process counted. Default: none. */
  restore?(key: number): number[];
}

/** Returns a limiter that allows at most `limit` requests per key in any window. */
export function createRateWindow(limit: number, { span = MINUTE_MS, restore = () => [] }: RateOptions = {}) {
  const windows = new Map<number, { times: number[]; first: number }>();

  function windowOf(key: number, now: number): { times: number[]; first: number } {
    let window = windows.get(key);
    if (!window) windows.set(key, (window = { times: restore(key), first: 0 }));
    const { times } = window;
    // If the clock was set back, requests with a future time no longer count.
    while (times.length > window.first && (times.at(-1) ?? 0) > now) times.pop();
    while (window.first < times.length && (times[window.first] ?? 0) <= now - span) window.first++;
    if (window.first > 1024 && window.first * 2 > times.length) {
      times.splice(0, window.first);
      window.first = 0;
    }
    return window;
  }

  return {
    /** Counts a request. If the window is full, returns the seconds to wait, and does not count it (decision: D91). */
    take: (key: number, now: number): number | undefined => {
      const { times, first } = windowOf(key, now);
      if (times.length - first < limit) {
        times.push(now);
        return undefined;
      }
      // The next request is allowed when the oldest of the last `limit` requests leaves the window.
      const leaving = times[times.length - limit] ?? now;
      return Math.max(1, Math.ceil((leaving + span - now) / 1000));
    },
    clear: (): void => windows.clear(),
  };
}
