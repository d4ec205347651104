// Pipeline runs: finished runs, new runs, and the age of the data.
import { describe, expect, it } from 'vitest';
import type { RunReply } from '../../../../../src/lib/contract/pipeline-runs.ts';
import {
  ageOf,
  isEnded,
  lagOf,
  newManualRuns,
  oldestFirst,
  recordsOf,
  runId,
  statusCounts,
} from '../../../../../src/lib/domain/warehouse/runs.ts';

const NOW = Date.parse('2026-11-21T08:00:00Z');
const run = (id: number | bigint, over: Record<string, unknown> = {}): RunReply => ({ id, ...over }) as RunReply;

describe('the check for a finished run', () => {
  it('is true for a run with an end, unless its status says that it continues', () => {
    const ended_on = '2026-01-01T00:00:00Z';
    const ended = ['cancelled', 'queued', 'running', 'retrying'].filter((status) => isEnded({ status, ended_on }));
    expect(ended).toEqual(['cancelled']);
  });

  it.each([['success'], ['failed'], ['stopped']])('is true for the status %s', (status) => {
    expect(isEnded({ status } as RunReply)).toBe(true);
  });

  it.each([['running'], ['queued'], ['another status'], [undefined]])('is false for the status %s', (status) => {
    expect(isEnded({ status } as RunReply)).toBe(false);
  });
});

it('returns every digit of a 64-bit id', () => {
  expect(runId(run(9_223_372_036_854_775_807n))).toBe('9223372036854775807');
});

it('sorts runs by start or logical date, with runs without a time last', () => {
  const runs = [
    run(4),
    run(5),
    run(3, { started_on: '2026-01-02T00:00:00Z', logical_date: '2026-01-01T00:00:00Z' }),
    run(2, { started_on: null, logical_date: '2026-01-01T12:00:00Z' }),
    run(1, { started_on: '2026-01-01T00:00:00Z' }),
  ];
  expect(oldestFirst(runs).map(runId)).toEqual(['1', '2', '3', '4', '5']);
});

it.each([
  [
    { successful_records: 5, failed_records: '2' },
    { successful: 5, failed: 2 },
  ],
  [{ successful_records: null }, { successful: 0, failed: 0 }],
  [
    { successful_records: 'many', failed_records: -1 },
    { successful: 0, failed: 0 },
  ],
])('counts the records of %j', (over, records) => {
  expect(recordsOf(run(1, over))).toEqual(records);
});

it('counts runs by status in a fixed order, with thousands separators', () => {
  const runs = [run(1), run(2, { status: 'queued' }), run(3, { status: 'failed' }), run(4, { status: null })];
  const successes = Array.from({ length: 1200 }, () => run(5, { status: 'success' }));
  expect(statusCounts([...runs, ...successes])).toBe('1,200 success, 1 failed, 1 queued, 2 unknown');
});

it('returns only new runs that were not scheduled', () => {
  const runs = [run(1, { type: 'manual' }), run(2, { type: 'manual' }), run(3, { type: 'scheduled' }), run(4)];
  expect(newManualRuns(runs, [run(1)]).map(runId)).toEqual(['2', '4']);
});

it('does not return an old run that was on another page before', () => {
  const at = (minute: number) => ({ type: 'manual', started_on: `2026-11-21T06:0${minute}:00Z` });
  const before = [run(9, at(9)), run(8, { type: 'manual' })];
  const now = [
    run(10, { type: 'manual' }),
    run(11, at(9)),
    run(3, at(3)),
    run(4, { type: 'manual', ended_on: at(4).started_on }),
  ];
  expect(newManualRuns(now, before).map(runId)).toEqual(['10', '11']);
});

describe('the age of the last success', () => {
  it('is counted from the end of the run, or from its start if its end is unknown', () => {
    const both = { started_on: '2026-11-21T06:00:00Z', ended_on: '2026-11-21T07:00:00Z' };
    expect(ageOf(run(1, both), NOW)).toBe(3_600_000);
    expect(ageOf(run(1, { ...both, ended_on: null }), NOW)).toBe(7_200_000);
  });

  it("is never negative if the platform's clock is ahead", () => {
    expect(ageOf(run(1, { ended_on: '2026-11-21T08:00:09Z' }), NOW)).toBe(0);
    expect(lagOf(run(1, { range_end: '2026-11-21T08:00:09Z' }), NOW)).toBe(0);
  });

  it('is unknown if no run succeeded or the run has no valid time', () => {
    expect([ageOf(undefined, NOW), ageOf(run(1), NOW), ageOf(run(1, { ended_on: 'soon' }), NOW)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

it("calculates the lag from the end of the last run's range", () => {
  const last = run(1, { range_end: '2026-11-20T08:00:00Z', ended_on: '2026-11-21T07:00:00Z' });
  expect(lagOf(last, NOW)).toBe(86_400_000);
  expect([lagOf(undefined, NOW), lagOf(run(1), NOW)]).toEqual([undefined, undefined]);
});
