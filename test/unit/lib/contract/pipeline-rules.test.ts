// Rules that span several pipeline fields.
import { describe, expect, it } from 'vitest';
import { PipelineRequest } from '../../../../src/lib/contract/pipelines.ts';
import { PIPELINE } from '../../../helpers/sync-definitions.ts';
import { issuesOf, withIssuesFirst } from './issues.ts';

const issuesWith = (parts: object): string[] => issuesOf(PipelineRequest, { ...PIPELINE, ...parts });
const needsZone = 'must be a time with a time zone, such as 2026-01-31T08:00:00Z';
const needsSeconds = 'must be a valid time in the format YYYY-MM-DDThh:mm:ssZ';

describe('a pipeline', () => {
  it.each<[object]>([
    [{}],
    [{ pipeline_type: 'events', field_transformation_id: 'f' }],
    [{ data_plan_id: 'p', data_plan_version: 0 }],
  ])('is accepted: %o', (parts) => {
    expect(issuesWith(parts)).toEqual([]);
  });

  it.each(
    withIssuesFirst<object>([
      [{ pipeline_type: 'events' }, ['field_transformation_id: is required for an events pipeline']],
      [{ field_transformation_id: 'f' }, ['field_transformation_id: is not allowed in a user attributes pipeline']],
      [{ data_plan_id: 'p' }, ['data_plan_version: is required with a data plan']],
      [{ data_plan_version: 'v' }, ['data_plan_id: is required with a data plan version']],
      [
        { id: '', connection_id: 'a b' },
        ['id: is empty', 'connection_id: may contain only letters, digits, `_` and `-`'],
      ],
      [{ name: ' \n', partner_feed_key: '' }, ['name: is empty', 'partner_feed_key: is empty']],
      [
        {
          name: undefined,
          pipeline_type: 'events',
          sync_mode: { type: 'incremental', iterator_field: 'at' },
          schedule: {},
        },
        [
          'name: is missing',
          'sync_mode.iterator_data_type: is required for an incremental sync',
          'schedule.type: is missing',
          'field_transformation_id: is required for an events pipeline',
        ],
      ],
      [
        { pipeline_type: 'other', field_transformation_id: 'f' },
        ['pipeline_type: must be `user_attributes` or `events`'],
      ],
    ]),
  )('is rejected: %s', (_issues, parts, issues) => {
    expect(issuesWith(parts)).toEqual(issues);
  });
});

describe('a sync mode', () => {
  const incremental = { type: 'incremental', iterator_field: 'updated', iterator_data_type: 'timestamp' };
  it.each<[object]>([
    [incremental],
    [{ ...incremental, type: 'full' }],
    [{ type: 'full', from: '2026-01-01T00:00:00Z', until: '2026-01-01T00:00:00Z' }],
    [{ type: 'full', until: '2026-01-01T00:00:00Z' }],
  ])('is accepted: %o', (sync_mode) => {
    expect(issuesWith({ sync_mode })).toEqual([]);
  });

  it.each(
    withIssuesFirst<object>([
      [
        { ...incremental, iterator_field: undefined },
        ['sync_mode.iterator_field: is required for an incremental sync'],
      ],
      [
        { type: 'incremental', iterator_field: 'updated' },
        ['sync_mode.iterator_data_type: is required for an incremental sync'],
      ],
      [
        { type: 'full', from: '2026-01-01T00:00:01Z', until: '2026-01-01T00:00:00Z' },
        ['sync_mode.until: is before `from`'],
      ],
      [{ type: 'full', from: '2026-02-30T00:00:00Z' }, [`sync_mode.from: ${needsSeconds}`]],
      [{ type: 'full', until: '2026-02-30T00:00:00Z' }, [`sync_mode.until: ${needsSeconds}`]],
      [
        { type: 'full', from: 'later', until: 'soon' },
        [`sync_mode.from: ${needsSeconds}`, `sync_mode.until: ${needsSeconds}`],
      ],
    ]),
  )('is rejected: %s', (_issues, sync_mode, issues) => {
    expect(issuesWith({ sync_mode })).toEqual(issues);
  });

  it.each([
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00.000Z',
    '2026-01-01T00:00:00+00:00',
    '2026-01-01T00:00Z',
    '2026-01-01 00:00:00Z',
    'x2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Zx',
    '26-01-01T00:00:00Z',
    '',
  ])('is rejected with the time %j', (from) => {
    expect(issuesWith({ sync_mode: { type: 'full', from } })).toEqual([`sync_mode.from: ${needsSeconds}`]);
  });
});

describe('a schedule', () => {
  const interval = { type: 'interval', frequency: 'daily', start: '2026-01-31T08:00:00+01:00' };
  it.each<[object]>([[interval], [{ ...interval, delay: '1h', end: '2026-01-31T07:00:00Z' }], [{ type: 'once' }]])(
    'is accepted: %o',
    (schedule) => {
      expect(issuesWith({ schedule })).toEqual([]);
    },
  );

  it.each(
    withIssuesFirst<object>([
      [{ ...interval, frequency: undefined }, ['schedule.frequency: is required for an interval schedule']],
      [{ ...interval, start: undefined }, ['schedule.start: is required for an interval schedule']],
      [{ ...interval, end: '2026-01-31T06:59:59Z' }, ['schedule.end: is before `start`']],
      [{ type: 'once', start: 'x' }, [`schedule.start: ${needsZone}`]],
      [{ type: 'once', end: '2026-01-31T08:00:00' }, [`schedule.end: ${needsZone}`]],
      [{ type: 'once', start: '2026-01-31T08:00:00Z', end: '' }, [`schedule.end: ${needsZone}`]],
    ]),
  )('is rejected: %s', (_issues, schedule, issues) => {
    expect(issuesWith({ schedule })).toEqual(issues);
  });

  it.each(['30s', '90m', '1h', '2d', '1w', '1y', '0s'])('is accepted with a delay of %s', (delay) => {
    expect(issuesWith({ schedule: { type: 'on_demand', delay } })).toEqual([]);
  });

  const NO_DELAY = 'must be a number and a unit without a space: `s`, `m`, `h`, `d`, `w` or `y`';
  it.each(['1', 'h', '1 h', '1ms', '1H', '-1h', '1.5h', '1h30m', '1234567890s', 'x1s', ''])(
    'is rejected with a delay of %j',
    (delay) => {
      expect(issuesWith({ schedule: { type: 'on_demand', delay } })).toEqual([`schedule.delay: ${NO_DELAY}`]);
    },
  );
});
