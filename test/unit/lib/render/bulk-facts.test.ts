// The progress that both bulk commands report.
import { expect, it } from 'vitest';
import { bulkFacts } from '../../../../src/lib/render/progress.ts';

it.each<[text: string, completed: number, ms: number, share: number | undefined, rejected: number, retries: number]>([
  ['0.0 rows/s', 0, 500, undefined, 0, 0],
  ['5.0 rows/s', 10, 2000, 1, 0, 0],
  ['9,000 rows/s, 3s left', 9000, 1000, 0.25, 0, 0],
  ['1.0 rows/s, 16m 40s left, 2 rejected, 1 retry', 10, 10_000, 10 / 1010, 2, 1],
  ['863 rows/s, 3 retries', 863, 1000, undefined, 0, 3],
])('prints `%s` for %d rows in %d ms', (text, completed, ms, share, rejected, retries) => {
  expect(bulkFacts({ completed, ms, share, rejected, retries }).text).toBe(text);
});

it('returns the same facts as data', () => {
  expect(bulkFacts({ completed: 9000, ms: 2000, share: 0.5, rejected: 1, retries: 2 }).data).toEqual({
    rejected: 1,
    retries: 2,
    rows_per_second: 4500,
    seconds_left: 2,
  });
});
