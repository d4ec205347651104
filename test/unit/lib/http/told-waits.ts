// A clock whose waits are told and not waited, for the budget that many share.
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../../src/lib/kernel/clock.ts';

/** `waited` is the sum so far, in milliseconds; the time is `now`'s all along. */
export function toldWaits(now: () => number): { clock: Clock; waited: () => number } {
  let waited = 0;
  return {
    waited: () => waited,
    clock: {
      now,
      sleep: async (ms) => {
        // Shorter ones wait for the lock.
        if (ms > 1000) waited += ms;
        await turn();
      },
    },
  };
}
