// Tests the time and the data range of runs for every type of schedule.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FREQUENCIES } from '../../../../../src/lib/contract/choices.ts';
import type { PipelineRequest } from '../../../../../src/lib/contract/pipelines.ts';
import {
  boundary,
  dataRange,
  inRange,
  logicalDate,
  nextRun,
} from '../../../../../src/lib/emulator/pipelines/schedule.ts';

const at = (iso: string): number => Date.parse(iso);
const iso = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString().replace('.000Z', 'Z');

type Timing = Pick<PipelineRequest, 'state' | 'schedule' | 'sync_mode'>;

function timing(schedule: Timing['schedule'], more: Partial<Timing> = {}): Timing {
  return { state: 'active', sync_mode: { type: 'full' }, schedule, ...more };
}

const interval = (frequency: (typeof FREQUENCIES)[number], start: string, end?: string): Timing['schedule'] => ({
  type: 'interval',
  frequency,
  start,
  ...(end !== undefined && { end }),
});

describe('the next run', () => {
  test.each<[string, Timing, string, string | undefined]>([
    [
      'before the start',
      timing(interval('hourly', '2026-01-01T06:00:00Z')),
      '2026-01-01T00:00:00Z',
      '2026-01-01T06:00:00Z',
    ],
    [
      'at the start',
      timing(interval('hourly', '2026-01-01T06:00:00Z')),
      '2026-01-01T06:00:00Z',
      '2026-01-01T06:00:00Z',
    ],
    [
      'for an hourly schedule',
      timing(interval('hourly', '2026-01-01T06:30:00Z')),
      '2026-01-02T00:00:00Z',
      '2026-01-02T00:30:00Z',
    ],
    [
      'for a daily schedule',
      timing(interval('daily', '2026-01-01T06:00:00Z')),
      '2026-03-01T06:00:01Z',
      '2026-03-02T06:00:00Z',
    ],
    [
      'for a weekly schedule',
      timing(interval('weekly', '2026-01-01T06:00:00Z')),
      '2026-01-02T00:00:00Z',
      '2026-01-08T06:00:00Z',
    ],
    [
      'for a monthly schedule',
      timing(interval('monthly', '2026-01-31T06:00:00Z')),
      '2026-02-01T00:00:00Z',
      '2026-02-28T06:00:00Z',
    ],
    [
      'after a short month',
      timing(interval('monthly', '2026-01-31T06:00:00Z')),
      '2026-03-01T00:00:00Z',
      '2026-03-31T06:00:00Z',
    ],
    [
      'in a leap year',
      timing(interval('monthly', '2027-12-31T00:00:00Z')),
      '2028-02-01T00:00:00Z',
      '2028-02-29T00:00:00Z',
    ],
    [
      'with an offset',
      timing(interval('daily', '2026-01-01T06:00:00+02:00')),
      '2026-01-01T04:00:01Z',
      '2026-01-02T04:00:00Z',
    ],
    [
      'up to the end',
      timing(interval('hourly', '2026-01-01T00:00:00Z', '2026-01-01T02:00:00Z')),
      '2026-01-01T01:30:00Z',
      '2026-01-01T02:00:00Z',
    ],
    [
      'after the end',
      timing(interval('hourly', '2026-01-01T00:00:00Z', '2026-01-01T02:00:00Z')),
      '2026-01-01T02:00:01Z',
      undefined,
    ],
    [
      '(one interval later) if `from` equals `start`',
      timing(interval('hourly', '2026-01-01T06:00:00Z'), { sync_mode: { type: 'full', from: '2026-01-01T06:00:00Z' } }),
      '2026-01-01T00:00:00Z',
      '2026-01-01T07:00:00Z',
    ],
    [
      'for a one-time schedule without a start',
      timing({ type: 'once' }),
      '2026-01-01T00:00:00Z',
      '2026-01-01T00:00:00Z',
    ],
    [
      'for a one-time schedule that starts later',
      timing({ type: 'once', start: '2026-01-02T00:00:00Z' }),
      '2026-01-01T00:00:00Z',
      '2026-01-02T00:00:00Z',
    ],
    [
      'for a one-time schedule that should have started earlier',
      timing({ type: 'once', start: '2026-01-01T00:00:00Z' }),
      '2026-01-05T00:00:00Z',
      '2026-01-05T00:00:00Z',
    ],
    [
      'for a pipeline on demand',
      timing({ type: 'on_demand', start: '2026-01-01T00:00:00Z' }),
      '2026-01-05T00:00:00Z',
      undefined,
    ],
    [
      'for a new pipeline',
      timing(interval('hourly', '2026-01-01T06:00:00Z'), { state: 'new' }),
      '2026-01-01T00:00:00Z',
      undefined,
    ],
    [
      'for a paused pipeline',
      timing(interval('hourly', '2026-01-01T06:00:00Z'), { state: 'paused' }),
      '2026-01-01T00:00:00Z',
      undefined,
    ],
  ])('is correct %s', (_what, given, from, expected) => {
    expect(iso(nextRun(given, at(from), false))).toBe(expected);
  });

  test('does not exist for a one-time pipeline that has already run', () => {
    expect(nextRun(timing({ type: 'once' }), 0, true)).toBeUndefined();
  });

  const anyStart = fc
    .integer({ min: at('2000-01-01T00:00:00Z'), max: at('2050-01-01T00:00:00Z') })
    .map((ms) => ms - (ms % 1000));
  const anyFrequency = fc.constantFrom(...FREQUENCIES);

  test('is the first boundary at or after the given time, for any schedule', () => {
    fc.assert(
      fc.property(
        anyStart,
        anyFrequency,
        fc.integer({ min: 0, max: 2000 }),
        fc.integer({ min: 1, max: 3_600_000 }),
        (start, frequency, index, before) => {
          const given = timing(interval(frequency, iso(start) ?? ''));
          const wanted = boundary(start, frequency, index);
          expect(nextRun(given, wanted, false)).toBe(wanted);
          expect(nextRun(given, wanted + 1, false)).toBe(boundary(start, frequency, index + 1));
          const earlier = nextRun(given, wanted - before, false) ?? 0;
          expect(earlier).toBeGreaterThanOrEqual(start);
          expect(earlier).toBeLessThanOrEqual(wanted);
        },
      ),
    );
  });

  test('is always later than the previous run and, unless the schedule is hourly, at the same time of day', () => {
    fc.assert(
      fc.property(anyStart, anyFrequency, fc.integer({ min: 0, max: 2000 }), (start, frequency, index) => {
        const [first, second] = [boundary(start, frequency, index), boundary(start, frequency, index + 1)];
        expect(second).toBeGreaterThan(first);
        if (frequency !== 'hourly') expect((second - start) % 86_400_000).toBe(0);
      }),
    );
  });
});

test.each<[Timing['schedule'], string, string]>([
  [interval('hourly', '2026-01-01T00:30:00Z'), '2026-01-01T05:10:00Z', '2026-01-01T04:30:00Z'],
  [interval('hourly', '2026-01-01T00:30:00Z'), '2026-01-01T05:30:00Z', '2026-01-01T05:30:00Z'],
  [interval('monthly', '2026-01-31T00:00:00Z'), '2026-03-01T00:00:00Z', '2026-02-28T00:00:00Z'],
  [interval('daily', '2026-01-01T00:00:00Z'), '2025-12-24T05:10:00Z', '2025-12-24T05:10:00Z'],
  [{ type: 'on_demand' }, '2026-01-01T05:10:00Z', '2026-01-01T05:10:00Z'],
])('for the schedule %o at %s, returns the logical date %s', (schedule, now, expected) => {
  expect(iso(logicalDate(schedule, at(now)))).toBe(expected);
});

describe('the time range', () => {
  const incremental = { type: 'incremental' as const, iterator_field: 'at', iterator_data_type: 'timestamp' };
  const now = at('2026-01-10T00:00:00Z');
  const day = (number: number): string => `2026-01-0${number}T00:00:00Z`;

  test.each<[string, Partial<Timing>, string | undefined, unknown[]]>([
    [
      'covers everything on the first run',
      { sync_mode: incremental },
      undefined,
      [undefined, false, '2026-01-10T00:00:00Z', true],
    ],
    [
      'starts at `from` on the first run',
      { sync_mode: { ...incremental, from: day(2) } },
      undefined,
      [day(2), false, '2026-01-10T00:00:00Z', true],
    ],
    [
      'starts after the position on a later run',
      { sync_mode: { ...incremental, from: day(2) } },
      day(5),
      [day(5), true, '2026-01-10T00:00:00Z', true],
    ],
    ['ends at `until`', { sync_mode: { ...incremental, until: day(7) } }, day(5), [day(5), true, day(7), true]],
    [
      'ends earlier by the delay',
      { sync_mode: incremental, schedule: { type: 'on_demand', delay: '2d' } },
      day(5),
      [day(5), true, day(8), true],
    ],
    [
      "starts at the schedule's start for a run on demand",
      { sync_mode: incremental, schedule: { type: 'on_demand', start: day(3) } },
      undefined,
      [day(3), false, '2026-01-10T00:00:00Z', true],
    ],
    [
      'covers everything on a full run',
      { sync_mode: { type: 'full' } },
      undefined,
      [undefined, false, '2026-01-10T00:00:00Z', false],
    ],
    [
      'has bounds but no filter on a full run without a field',
      { sync_mode: { type: 'full', from: day(3) } },
      undefined,
      [day(3), false, '2026-01-10T00:00:00Z', false],
    ],
    [
      'has bounds and a filter on a full run with a field',
      { sync_mode: { ...incremental, type: 'full', from: day(3) } },
      undefined,
      [day(3), false, '2026-01-10T00:00:00Z', true],
    ],
  ])('%s', (_what, given, position, expected) => {
    const range = dataRange(
      timing({ type: 'interval' }, given),
      now,
      position === undefined ? undefined : at(position),
    );
    expect([iso(range.rangeStart), range.afterStart, iso(range.rangeEnd), range.bounded]).toEqual(expected);
  });

  test('covers every time exactly once across consecutive runs', () => {
    const times = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(times, fc.array(fc.integer({ min: 0, max: 100 })), (runs, rows) => {
        let position: number | undefined;
        const read: number[] = [];
        for (const run of runs.sort((a, b) => a - b)) {
          const range = dataRange(timing({ type: 'on_demand' }, { sync_mode: incremental }), run, position);
          read.push(...rows.filter((row) => inRange(range, row)));
          position = range.rangeEnd;
        }
        expect(read.sort((a, b) => a - b)).toEqual(
          rows.filter((row) => row <= Math.max(...runs)).sort((a, b) => a - b),
        );
      }),
    );
  });
});
