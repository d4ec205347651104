// A limit of requests in a sliding span of time, by key.
import { refusal } from './platform-error.ts';

const MINUTE_MS = 60_000;

export interface RateWindow {
  /** Counts a request at `now` (epoch ms). Throws the 429 with `Retry-After` when the last span is full. */
  take(key: number, now: number): void;
  /** The same without a refusal: the seconds after which there is room, or undefined when the request was counted. */
  tryTake(key: number, now: number): number | undefined;
  clear(): void;
}

/**
 * A refused request does not count (decision: D91).
 * `restore` gives the times (epoch ms, ascending) of the requests that an earlier run counted for a key. `span` is in
 * milliseconds, a minute unless told otherwise.
 */
export function createRateWindow(
  limit: number,
  message: string,
  restore: (key: number) => number[],
  span = MINUTE_MS,
): RateWindow {
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

  function tryTake(key: number, now: number): number | undefined {
    const { times, first } = windowOf(key, now);
    if (times.length - first < limit) {
      times.push(now);
      return undefined;
    }
    // Room comes when the request that is `limit` back from now leaves the span.
    const leaving = times[times.length - limit] ?? now;
    return Math.max(1, Math.ceil((leaving + span - now) / 1000));
  }

  return {
    take: (key, now) => {
      const seconds = tryTake(key, now);
      if (seconds !== undefined) throw refusal(429, message, { 'retry-after': String(seconds) });
    },
    tryTake,
    clear: () => {
      windows.clear();
    },
  };
}
