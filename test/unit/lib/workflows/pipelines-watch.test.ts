// How often a run is polled, and how long to wait for a missing run.
import { expect, it } from 'vitest';
import type { PipelinesApi } from '../../../../src/lib/api/pipelines.ts';
import { watchRun } from '../../../../src/lib/workflows/pipelines-run.ts';
import { retryWhileNotFound } from '../../../../src/lib/workflows/retry-while-not-found.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import { failureOf } from '../../../helpers/failure.ts';

it.each([
  ['the default interval', 5000, [1000, 2000, 4000, 5000, 5000]],
  ['a long interval', 60_000, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]],
  ['a short interval', 300, [300, 300, 300]],
])('polls immediately, then with increasing pauses up to %s', async (_what, pollMs, expected) => {
  const pauses: number[] = [];
  let polls = 0;
  const run = async () => ({ id: 7, status: polls++ < expected.length ? 'running' : 'success' });
  const clock = { now: () => 0, sleep: async (ms: number) => void pauses.push(ms) };
  const ports = { api: { run } as unknown as PipelinesApi, clock, signal: new AbortController().signal };
  expect(await watchRun('customers', '7', { pollMs, onState: () => undefined }, ports)).toMatchObject({ id: 7 });
  expect(pauses).toEqual(expected);
  expect(polls).toBe(expected.length + 1);
});

it.each([0, -86_400_000, 86_400_000])('retries for a minute even if the clock is set by %d ms', async (ms) => {
  const clock = createTestClock();
  const missing = new KnownError({ code: 'http.not_found', message: 'Not found.' });
  let reads = 0;
  const read = async (): Promise<never> => {
    if (reads++ === 1) clock.set(ms);
    throw missing;
  };
  const ports = { api: {} as PipelinesApi, clock, signal: new AbortController().signal };
  expect(await failureOf(retryWhileNotFound(read, 7000, ports))).toBe(missing);
  expect(clock.sleeps).toEqual([...Array<number>(8).fill(7000), 4000]);
});
