// A clock that runs many times as fast as the machine's: hours of pauses are over in a moment, in the right order.
import { type Clock, systemClock } from '../../src/lib/kernel/clock.ts';

/**
 * The most of the machine's time that counts between two readings. A process that a busy machine holds up for longer
 * finds that no more has passed, so that being held up exceeds no limit.
 */
const MOST_MS = 20;

/** A child process cannot hurry: a limit on its time is as long as it says. */
const hasChild = (): boolean => process.getActiveResourcesInfo().includes('ProcessWrap');

/** Programs and platforms that share one live in the same, hurried time. */
export function createFastClock(factor: number): Clock {
  let now = systemClock.now();
  let read = performance.now();
  const tick = (): number => {
    const at = performance.now();
    now += Math.min(at - read, MOST_MS) * factor;
    read = at;
    return now;
  };
  return {
    now: tick,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      tick();
      for (let left = ms; left > 0;) {
        const before = performance.now();
        await systemClock.sleep(Math.min(left / factor, MOST_MS / 2), signal);
        tick();
        left -= Math.min(performance.now() - before, MOST_MS) * (hasChild() ? 1 : factor);
      }
    },
  };
}
