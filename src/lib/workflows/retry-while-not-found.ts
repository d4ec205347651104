// Reads a new resource that the platform may not show yet.
import { type Clock, steadyClock } from '../kernel/clock.ts';
import { isNotFound, type KnownError } from '../kernel/errors.ts';

/** A new pipeline, run or request may take a minute to become visible (decision: D102). */
const UNKNOWN_FOR_MS = 60_000;

/** Retries for up to a minute while the result is not found. Calls `onUnknown` once; it may throw to stop. */
export async function retryWhileNotFound<T>(
  read: () => Promise<T>,
  pollMs: number,
  ports: { clock: Clock; signal: AbortSignal },
  onUnknown?: (error: KnownError) => Promise<void>,
): Promise<T> {
  const clock = steadyClock(ports.clock);
  const end = clock.now() + UNKNOWN_FOR_MS;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await read();
    } catch (error) {
      const isUnknown = isNotFound(error);
      if (!isUnknown || clock.now() >= end) throw error;
      if (isFirst) await onUnknown?.(error);
      await clock.sleep(Math.min(pollMs, end - clock.now()), ports.signal);
    }
  }
}
