// A clock that runs many times as fast as the machine's: what waits for hours is over in a moment, in the right order.
import { type Clock, systemClock } from '../../src/lib/kernel/clock.ts';

/** Several programs and platforms that share one live in the same, hurried time. */
export function createFastClock(factor: number): Clock {
  const start = systemClock.now();
  return {
    now: () => start + (systemClock.now() - start) * factor,
    sleep: (ms, signal) => systemClock.sleep(ms / factor, signal),
  };
}
