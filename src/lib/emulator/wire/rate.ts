// A limit of requests in a sliding span of time, by key.

const MINUTE_MS = 60_000;

export interface RateOptions {
  /** Milliseconds; default a minute. */
  span?: number;
  /** The times (epoch ms, ascending) of the requests that an earlier run counted for a key; default none. */
  restore?(key: number): number[];
}

/** At most `limit` requests of a key in any span of time. */
export function createRateWindow(limit: number, { span = MINUTE_MS, restore = () => [] }: RateOptions = {}) {
  const windows = new Map<number, { times: number[]; first: number }>();

  function windowOf(key: number, now: number): { times: number[]; first: number } {
    let window = windows.get(key);
    if (!window) windows.set(key, (window = { times: restore(key), first: 0 }));
    const { times } = window;
    // The clock can be set back: what then lies in the future is no longer of this span.
    while (times.length > window.first && (times.at(-1) ?? 0) > now) times.pop();
    while (window.first < times.length && (times[window.first] ?? 0) <= now - span) window.first++;
    if (window.first > 1024 && window.first * 2 > times.length) {
      times.splice(0, window.first);
      window.first = 0;
    }
    return window;
  }

  return {
    /**
     * Counts a request at `now` (epoch ms) and returns undefined; where the last span is full, it is not counted (decision:
     * D91), and the seconds come back after which there is room.
     */
    take: (key: number, now: number): number | undefined => {
      const { times, first } = windowOf(key, now);
      if (times.length - first < limit) {
        times.push(now);
        return undefined;
      }
      // Room comes when the request that is `limit` back from now leaves the span.
      const leaving = times[times.length - limit] ?? now;
      return Math.max(1, Math.ceil((leaving + span - now) / 1000));
    },
    clear: (): void => {
      windows.clear();
    },
  };
}
