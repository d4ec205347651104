// Pipelines and their runs in the wire format: normalization of requests, and accepted responses.
import { describe, expect, test } from 'vitest';
import { RunReply } from '../../../../src/lib/contract/pipeline-runs.ts';
import { PipelineReply, PipelineRequest } from '../../../../src/lib/contract/pipelines.ts';
import { PIPELINE } from '../../../helpers/sync-definitions.ts';
import { issuesOf } from './issues.ts';

const READ_ONLY = { status: 'idle', errors: [], created_on: 'x', created_by: null, last_modified_on: null };

describe('a pipeline request', () => {
  test.each(['on_demand', 'on-demand'])('is sent with the schedule `on_demand` if it contains `%s`', (type) => {
    const parsed = PipelineRequest.parse({ ...PIPELINE, schedule: { type } });
    expect(parsed.schedule).toEqual({ type: 'on_demand' });
  });

  test.each(['interval', 'once'])('is sent with an unchanged schedule if the schedule is `%s`', (type) => {
    const schedule = { type, frequency: 'daily', start: '2026-01-31T08:00:00Z' };
    expect(PipelineRequest.parse({ ...PIPELINE, schedule }).schedule).toEqual(schedule);
  });

  test('is accepted with fields that the platform sets, but not with unknown fields', () => {
    expect(issuesOf(PipelineRequest, { ...PIPELINE, ...READ_ONLY })).toEqual([]);
    const odd = { shedule: {}, sync_mode: { type: 'full', iterator: 'x' } };
    expect(issuesOf(PipelineRequest, { ...PIPELINE, ...odd }).sort()).toEqual([
      'shedule: unknown field `shedule`',
      'sync_mode.iterator: unknown field `iterator`',
    ]);
  });
});

test.each([
  [
    'a run whose counts are strings and whose id is large',
    RunReply,
    { id: 2n ** 62n, successful_records: '12', failed_records: 0 },
  ],
  ['a run with an unknown status', RunReply, { id: 1, status: 'resting', more: 1 }],
  ['a pipeline with a plan version as a number', PipelineReply, { id: 'a', data_plan_version: 3 }],
  ['a pipeline with only an id', PipelineReply, { id: 'a', schedule: null, errors: null }],
])('accepts a response with %s', (_what, schema, value) => {
  expect(schema.parse(value)).toEqual(value);
});
