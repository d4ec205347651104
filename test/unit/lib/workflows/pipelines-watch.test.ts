// Following a run: how soon it is looked at, and how often.
import { expect, it } from 'vitest';
import type { PipelinesApi } from '../../../../src/lib/api/pipelines.ts';
import { watchRun } from '../../../../src/lib/workflows/pipelines-watch.ts';

it.each([
  ['the default', 5000, [1000, 2000, 4000, 5000, 5000]],
  ['a long pause', 60_000, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]],
  ['a short one', 300, [300, 300, 300]],
])('looks at once, soon again and then as often as was wanted: %s', async (_what, pollMs, expected) => {
  const pauses: number[] = [];
  let looks = 0;
  const run = async () => ({ id: 7, status: looks++ < expected.length ? 'running' : 'success' });
  const clock = { now: () => 0, sleep: async (ms: number) => void pauses.push(ms) };
  const ports = { api: { run } as unknown as PipelinesApi, clock, signal: new AbortController().signal };
  expect(await watchRun('customers', '7', { pollMs, onState: () => undefined }, ports)).toMatchObject({ id: 7 });
  expect(pauses).toEqual(expected);
  expect(looks).toBe(expected.length + 1);
});
