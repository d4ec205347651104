// Limits requests per key in a sliding time window.
import type { PlatformClock } from '../base/clock.ts';
import type { PlatformError } from './platform-error.ts';

const MINUTE_MS = 60_000;

/**
 * Returns a limiter that allows at most `limit` requests per key in any window of `span` milliseconds, or all requests
 * if there is no limit. `rejected` returns the error for a request above the limit, from the seconds to wait.
 */
export function createRateLimit(
  limit: number | undefined,
  { now: time }: Pick<PlatformClock, 'now'>,
  rejected: (seconds: string) => PlatformError,
  span = MINUTE_MS,
) {
  const windows = new Map<number, number[]>();
  return {
    /** Counts a request. If the window is full, throws, and does not count the request (decision: D91). */
    admit: (key: number): void => {
      if (limit === undefined) return;
      const now = time();
      // If the clock was set back, requests with a future time no longer count.
      const times = (windows.get(key) ?? []).filter((time) => time > now - span && time <= now);
      windows.set(key, times);
      if (times.length >= limit) {
        // The next request is allowed when the oldest of the last `limit` requests leaves the window.
        const leaving = times.at(-limit) ?? now;
        throw rejected(String(Math.max(1, Math.ceil((leaving + span - now) / 1000))));
      }
      times.push(now);
    },
    clear: (): void => windows.clear(),
  };
}
