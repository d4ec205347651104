// A clock with a fixed time that records its waits, for tests of the shared budget.
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../../src/lib/kernel/clock.ts';

/** `waited` returns the total so far in milliseconds; sleeping does not advance the time. */
export function loggedWaits(now: () => number): { clock: Clock; waited: () => number } {
  let waited = 0;
  return {
    waited: () => waited,
    clock: {
      now,
      sleep: async (ms) => {
        // Waits shorter than this are for the lock.
        if (ms > 1000) waited += ms;
        await turn();
      },
    },
  };
}
