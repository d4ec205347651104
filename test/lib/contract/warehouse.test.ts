// The schemas of groups and warehouse sync: what is settled in them, what may come back, what is marked as a name.
import { describe, expect, test } from 'vitest';
import { connectionsEndpoints, ConnectionRequest } from '../../../src/lib/contract/connections.ts';
import { explain, showPath } from '../../../src/lib/contract/explain.ts';
import { GroupReply, GroupRequest } from '../../../src/lib/contract/groups.ts';
import { createWireNames } from '../../../src/lib/contract/names.ts';
import { PipelineReply, PipelineRequest, RunReply } from '../../../src/lib/contract/pipelines.ts';

const PIPELINE = {
  id: 'sync',
  name: 'Sync',
  pipeline_type: 'user_attributes',
  connection_id: 'lake',
  data_model_id: 'people',
  state: 'active',
  sync_mode: { type: 'full' },
  schedule: { type: 'on_demand' },
  environment: 'production',
};
const READ_ONLY = { status: 'idle', errors: [], created_on: 'x', created_by: null, last_modified_on: null };

describe('requests', () => {
  test.each(['on_demand', 'on-demand'])('of a schedule %s are sent as on_demand', (type) => {
    const parsed = PipelineRequest.parse({ ...PIPELINE, schedule: { type } });
    expect(parsed.schedule).toEqual({ type: 'on_demand' });
  });

  test.each(['interval', 'once'])('of a schedule %s are sent as they are', (type) => {
    const schedule = { type, frequency: 'daily', start: '2026-01-31T08:00:00Z' };
    expect(PipelineRequest.parse({ ...PIPELINE, schedule }).schedule).toEqual(schedule);
  });

  test('may hold what the platform set, and nothing that nobody knows', () => {
    expect(explain(PipelineRequest, { ...PIPELINE, ...READ_ONLY })).toEqual([]);
    const issues = explain(PipelineRequest, {
      ...PIPELINE,
      shedule: {},
      sync_mode: { type: 'full', iterator: 'x' },
    });
    expect(issues.map(({ path, message }) => `${showPath(path)}: ${message}`).sort()).toEqual([
      'shedule: unknown field `shedule`',
      'sync_mode.iterator: unknown field `iterator`',
    ]);
  });

  test.each(['30s', '90m', '1h', '2d', '1w', '1y', '0s'])('may have a delay of %s', (delay) => {
    expect(explain(PipelineRequest, { ...PIPELINE, schedule: { type: 'on_demand', delay } })).toEqual([]);
  });

  test.each(['', '1', 'h', '1 h', '1ms', '1H', '-1h', '1.5h', '1h30m'])('may not have a delay of %j', (delay) => {
    const [issue] = explain(PipelineRequest, { ...PIPELINE, schedule: { type: 'on_demand', delay } });
    expect(showPath(issue?.path ?? [])).toBe('schedule.delay');
  });

  test('tell every issue with its place', () => {
    const config = { provider: 'acme', schema: '', password: 'x' };
    const issues = explain(ConnectionRequest, { id: 'a b', name: 'A', service_provider: 'PROVIDER_D', config });
    expect(issues.map(({ path }) => showPath(path)).sort()).toEqual(['config.password', 'config.schema', 'id']);
    const unknown = explain(ConnectionRequest, { id: 'a', name: 'A', service_provider: 'other', config });
    expect(unknown).toEqual([
      {
        path: ['service_provider'],
        message: 'must be `PROVIDER_A` or `PROVIDER_B` or `PROVIDER_C` or `PROVIDER_D`',
      },
    ]);
  });

  test('count characters of a group as the specification does', () => {
    const group = { id: '😀😀😀', source_user_attribute: 'a', attributes: [] };
    expect(explain(GroupRequest, group)).toEqual([]);
    expect(explain(GroupRequest, { ...group, id: '😀😀' })).toHaveLength(1);
  });
});

test.each([
  [
    'a run with counts as texts and a large id',
    RunReply,
    { id: 2n ** 62n, successful_records: '12', failed_records: 0 },
  ],
  ['a run of a status that nobody knows', RunReply, { id: 1, status: 'resting', more: 1 }],
  ['a pipeline with a plan version as a number', PipelineReply, { id: 'a', data_plan_version: 3 }],
  ['a pipeline of which hardly anything is known', PipelineReply, { id: 'a', schedule: null, errors: null }],
  ['a group without texts', GroupReply, { id: 'a', description: null, attributes: null }],
])('answers may be %s', (_what, schema, value) => {
  expect(schema.parse(value)).toEqual(value);
});

test('a deployment has its own words for providers and prefixed fields', () => {
  const names = createWireNames({ PROVIDER_C: 'cluster', 'cloud_*': 'sky_' });
  const connection = { id: 'a', service_provider: 'PROVIDER_C', config: { cloud_iam_role_arn: 'cloud_x', host: 'h' } };
  const wire = { id: 'a', service_provider: 'cluster', config: { sky_iam_role_arn: 'cloud_x', host: 'h' } };
  const { create, list } = connectionsEndpoints;
  expect(names.encode(connection, create.names?.body ?? [])).toEqual(wire);
  expect(names.decode([wire], list.names?.reply ?? [])).toEqual([connection]);
});
