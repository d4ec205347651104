// A clock that records its waits instead of sleeping, for tests of the shared budget.
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../../src/lib/kernel/clock.ts';

/** Sleeping on this clock does not advance its time. `waited` returns the total wait so far in milliseconds. */
export function loggedWaits(now: () => number): { clock: Clock; waited: () => number } {
  let waited = 0;
  return {
    waited: () => waited,
    clock: {
      now,
      sleep: async (ms) => {
        // Ignore shorter waits, which are for the lock.
        if (ms > 1000) waited += ms;
        await turn();
      },
    },
  };
}
