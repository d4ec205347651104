// A clock for many concurrent sleepers: when all of them sleep, it jumps to the end of the shortest sleep.
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../src/lib/kernel/clock.ts';
import { TEST_TIME } from './clock.ts';

export interface EventClock extends Clock {
  /**
   * Lets time pass until `work` is done and returns its result. Fails if all pending work waits for something other
   * than time.
   */
  run<T>(work: Promise<T>): Promise<T>;
}

interface Sleeper {
  at: number;
  wake(): void;
}

export function createEventClock(): EventClock {
  let now = TEST_TIME;
  const sleepers: Sleeper[] = [];
  return {
    now: () => now,
    sleep: (ms) =>
      new Promise((wake) => {
        const at = now + Math.max(0, ms);
        const later = sleepers.findIndex((sleeper) => sleeper.at > at);
        sleepers.splice(later < 0 ? sleepers.length : later, 0, { at, wake });
      }),
    run: async (work) => {
      const ended = new AbortController();
      const end = (): void => ended.abort();
      work.then(end, end);
      for (;;) {
        await turn();
        if (ended.signal.aborted) return work;
        const next = sleepers.shift();
        if (next === undefined) throw new Error('Nothing sleeps, and the work has not finished.');
        now = next.at;
        next.wake();
      }
    },
  };
}
