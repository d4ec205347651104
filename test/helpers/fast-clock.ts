// A clock that is many times faster than the machine's: hours of pauses pass in a moment, in the right order.
import { type Clock, systemClock } from '../../src/lib/kernel/clock.ts';

/**
 * Maximum real time that counts between two readings, so that a process on a busy machine does not exceed time limits.
 */
const MOST_MS = 20;

/** True while a child process runs. A child uses real time, so its time limits must not be shortened. */
const hasChild = (): boolean => process.getActiveResourcesInfo().includes('ProcessWrap');

/** Creates a fast clock, which the programs and platforms of a test share. */
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
