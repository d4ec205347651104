// A clock that no test has to wait for: sleeping moves it on and takes one turn of the event loop.
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../src/lib/kernel/clock.ts';

export interface TestClock extends Clock {
  /** Every sleep asked for, in milliseconds. */
  readonly sleeps: number[];
  /** Moves the clock; a negative number sets it back. */
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
      // Other work must get a turn.
      await turn();
      signal?.throwIfAborted();
    },
    advance: (ms) => {
      now += ms;
    },
  };
}
