// A clock that tests need not wait for: a sleep advances it and takes one turn of the event loop.
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../src/lib/kernel/clock.ts';

export interface TestClock extends Clock {
  /** Every requested sleep in milliseconds. */
  readonly sleeps: number[];
  /** Lets time pass. */
  advance(ms: number): void;
  /** Sets the machine's clock forward, or back if the number is negative. No time passes. */
  set(ms: number): void;
}

export const TEST_TIME = Date.parse('2026-11-21T08:00:00Z');

export function createTestClock(start = TEST_TIME): TestClock {
  let now = start;
  let steady = 0;
  const sleeps: number[] = [];
  const advance = (ms: number): void => {
    now += ms;
    steady += ms;
  };
  return {
    sleeps,
    now: () => now,
    steady: () => steady,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      sleeps.push(ms);
      advance(ms);
      // Lets other work run.
      await turn();
      signal?.throwIfAborted();
    },
    advance,
    set: (ms) => {
      now += ms;
    },
  };
}
