// The intervals at which a run is polled.
import { expect, it } from 'vitest';
import type { PipelinesApi } from '../../../../src/lib/api/pipelines.ts';
import { watchRun } from '../../../../src/lib/workflows/pipelines-watch.ts';

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
