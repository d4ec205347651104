// The progress that both bulk commands report.
import { expect, it } from 'vitest';
import { createBulkFacts } from '../../../../src/lib/render/progress.ts';

it.each<[text: string, completed: number, ms: number, share: number | undefined, rejected: number, retries: number]>([
  ['0.0 rows/s', 0, 500, undefined, 0, 0],
  ['5.0 rows/s', 10, 2000, 1, 0, 0],
  ['9,000 rows/s, 3s left', 9000, 1000, 0.25, 0, 0],
  ['1.0 rows/s, 16m 40s left, 2 rejected, 1 retry', 10, 10_000, 10 / 1010, 2, 1],
  ['863 rows/s, 3 retries', 863, 1000, undefined, 0, 3],
])('prints `%s` for %d rows in %d ms', (text, completed, ms, share, rejected, retries) => {
  expect(createBulkFacts()({ completed, ms, share, rejected, requests: 0, retries }).text).toBe(text);
});

it('also returns the progress as data', () => {
  expect(
    createBulkFacts()({ completed: 9000, ms: 2000, share: 0.5, rejected: 1, requests: 95, retries: 2 }).data,
  ).toEqual({
    requests: 95,
    rejected: 1,
    retries: 2,
    rows_per_second: 4500,
    seconds_left: 2,
  });
});

it.each<[history: string, speeds: [seconds: number, rowsPerSecond: number][], text: string]>([
  ['a steady run', [[120, 10]], '10 rows/s, 14m 40s left'],
  [
    'a run that became faster',
    [
      [300, 1],
      [90, 20],
    ],
    '20 rows/s, 6m 35s left',
  ],
  [
    'the first second after an outage',
    [
      [100, 10],
      [300, 0],
      [1, 1],
    ],
    '10 rows/s, 15m left',
  ],
  [
    'the second minute after an outage',
    [
      [100, 10],
      [300, 0],
      [90, 10],
    ],
    '10 rows/s, 13m 30s left',
  ],
  [
    'pauses of 40 seconds in each minute',
    Array(6)
      .fill([
        [20, 30],
        [40, 0],
      ])
      .flat(),
    '10 rows/s, 10m 40s left',
  ],
])('measures the recent rate in %s', (_history, speeds, text) => {
  const facts = createBulkFacts();
  let [completed, ms, shown] = [0, 0, ''];
  for (const [seconds, rowsPerSecond] of speeds) {
    for (let second = 0; second < seconds; second++) {
      ms += 1000;
      completed += rowsPerSecond;
      // Nothing is reported in a second in which no row completes.
      if (rowsPerSecond > 0)
        ({ text: shown } = facts({ completed, ms, share: completed / 10_000, rejected: 0, requests: 0, retries: 0 }));
    }
  }
  expect(shown).toBe(text);
});
