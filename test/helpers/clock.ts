// A clock that tests need not wait for: a sleep advances it and takes one turn of the event loop.
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../src/lib/kernel/clock.ts';

export interface TestClock extends Clock {
  /** Every requested sleep in milliseconds. */
  readonly sleeps: number[];
  /** Moves the clock forward, or back if the number is negative. */
  advance(ms: number): void;
}

export const TEST_TIME = Date.parse('2026-11-21T08:00:00Z');

export function createTestClock(start = TEST_TIME): TestClock {
  let now = start;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => now,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      sleeps.push(ms);
      now += ms;
      // Lets other work run.
      await turn();
      signal?.throwIfAborted();
    },
    advance: (ms) => {
      now += ms;
    },
  };
}
