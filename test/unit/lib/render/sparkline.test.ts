// The sparkline of a list of runs, and its text.
import { expect, test } from 'vitest';
import { runSparkline, wantsPlainSigns } from '../../../../src/lib/render/pipelines.ts';

const run = (day: number, status: string, records: number | null = null) =>
  ({ id: day, status, started_on: `2026-01-0${day}T00:00:00Z`, successful_records: records }) as unknown as Parameters<
    typeof runSparkline
  >[0][number];
const runs = [run(4, 'running'), run(3, 'failed'), run(2, 'success', 9000), run(1, 'success', 0)];

test('draws the oldest run first, with record counts as heights, and repeats the counts as text', () => {
  expect(runSparkline(runs, false)).toBe('Last 4 runs: ▁█×·  2 success, 1 failed, 1 running; 0 to 9,000 records');
});

test('uses only ASCII on request', () => {
  const line = runSparkline(runs, true);
  expect(line).toBe('Last 4 runs: _#x~  2 success, 1 failed, 1 running; 0 to 9,000 records');
  expect(line).toMatch(/^[ -~]+$/);
});

test('draws the newest 24 of many runs, draws a single run, and draws nothing if there are no runs', () => {
  const many = Array.from({ length: 60 }, () => run(1, 'success', 5));
  expect(runSparkline(many, false)).toBe(`Last 24 runs: ${'█'.repeat(24)}  24 success; 5 records each`);
  expect(runSparkline([run(1, 'failed')], false)).toBe('Last run: ×  1 failed');
  expect(runSparkline([], false)).toBe('');
});

test('treats an invalid count as missing', () => {
  const odd = { ...run(3, 'success'), successful_records: 'many' };
  expect(runSparkline([odd, run(1, 'success', 4)], false)).toBe('Last 2 runs: █▁  2 success; 0 to 4 records');
  expect(runSparkline([run(1, 'success', 4)], false)).toBe('Last run: █  1 success; 4 records');
});

test.each([
  [{ LC_ALL: 'C', LANG: 'en_US.UTF-8' }],
  [{ LANG: 'de_DE.utf8', TERM: 'dumb' }],
  [{ LANG: 'en_US.UTF-8', CDPADM_ACCESSIBLE: '1' }],
  [{}],
])('uses ASCII if the environment is %j', (env) => {
  expect(wantsPlainSigns(env)).toBe(true);
});

test('uses Unicode in a UTF-8 locale', () => {
  expect(wantsPlainSigns({ LANG: 'en_US.UTF-8' })).toBe(false);
});
