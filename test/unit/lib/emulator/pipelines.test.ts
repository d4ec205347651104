// Pipelines on the embedded platform: every rule and status of definitions, triggers, resets, reports and run lists.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { opened } from '../../../helpers/opened.ts';
import { CONNECTION, MODEL, PIPELINE } from '../../../helpers/sync-definitions.ts';
import { startSync, startWarehouseEmulator, type WarehouseEmulator } from '../../../helpers/warehouse.ts';

const PIPELINES = 'inputs/data-pipelines';
const PLANS = [
  { id: 'plan', version: 1 },
  { id: 'plan', version: 2, active: false },
];

let emulator: WarehouseEmulator;

describe('pipelines', () => {
  beforeEach(async () => {
    emulator = await opened(startSync({ fixtures: { data_plans: PLANS } }));
  });

  test('are created, read, changed and deleted', async () => {
    const sent = {
      ...PIPELINE,
      id: 'second',
      partner_feed_id: 9007199254740993n.toString(),
      schedule: { type: 'on-demand', delay: '90m' },
      data_plan_id: 'plan',
      data_plan_version: '1',
    };
    const body = JSON.stringify(sent).replace('"9007199254740993"', '9007199254740993');
    const created = await emulator.create(PIPELINES, body);
    expect(created.status).toBe(200);
    expect(created.text).toContain('"partner_feed_id":9007199254740993');
    const { partner_feed_id: _feed, ...rest } = sent;
    expect(created.json).toMatchObject({
      ...rest,
      schedule: { type: 'on_demand', delay: '90m' },
      status: 'idle',
      errors: [],
      last_modified_on: null,
    });
    expect(await emulator.get(PIPELINES)).toHaveLength(2);
    expect((await emulator.ask('GET', `${PIPELINES}/second`)).text).toBe(created.text);
    const changed = await emulator.put(PIPELINES, { ...PIPELINE, id: 'second', environment: 'development' });
    expect(changed.json).toMatchObject({ environment: 'development', last_modified_by: expect.any(String) as string });
    expect(changed.json).not.toHaveProperty('data_plan_id');
    expect((await emulator.ask('DELETE', `${PIPELINES}/second`)).status).toBe(204);
    expect((await emulator.ask('GET', `${PIPELINES}/second`)).status).toBe(404);
  });

  const incremental = { type: 'incremental', iterator_field: 'f', iterator_data_type: 'timestamp' };
  const interval = { type: 'interval', frequency: 'daily', start: '2026-01-01T00:00:00Z' };
  test.each<[string, number, object, string]>([
    ['a taken id', 400, { id: 'sync' }, 'id `sync` is taken'],
    ['an id that is not a slug', 400, { id: 'a.b' }, 'id may contain only'],
    ['a missing name', 400, { name: undefined }, 'name is missing'],
    ['a missing state', 400, { state: undefined }, 'state is missing'],
    ['an unknown state', 400, { state: 'inactive' }, 'state must be'],
    ['an unknown type', 400, { pipeline_type: 'users' }, 'pipeline_type must be'],
    ['an unknown environment', 400, { environment: 'test' }, 'environment must be'],
    ['an unknown connection', 404, { connection_id: 'pond' }, 'Resource not found: connection pond'],
    ['an unknown data model', 404, { data_model_id: 'pets' }, 'Resource not found: data model pets'],
    ['events without a transformation', 400, { pipeline_type: 'events' }, 'field_transformation_id is required'],
    [
      'users with a transformation',
      400,
      { field_transformation_id: 'f' },
      'Field transformation id sent with a user pipeline',
    ],
    [
      'an unknown plan',
      404,
      { data_plan_id: 'other', data_plan_version: 1 },
      'Data plan does not exist in the workspace: data plan `other`',
    ],
    ['an unknown version of a plan', 404, { data_plan_id: 'plan', data_plan_version: 3 }, 'has no version 3'],
    ['a plan without a version', 404, { data_plan_id: 'plan' }, 'Data plan given without a version'],
    [
      'a plan that is not active',
      400,
      { data_plan_id: 'plan', data_plan_version: 2 },
      'Data plan is not active: data plan `plan`, version 2',
    ],
    ['a version without a plan', 400, { data_plan_version: 1 }, 'data_plan_id is required'],
    ['a missing sync mode', 400, { sync_mode: undefined }, 'sync_mode is missing'],
    ['a missing iterator', 400, { sync_mode: { type: 'incremental' } }, 'sync_mode.iterator_field is required'],
    [
      'a missing iterator type',
      400,
      { sync_mode: { ...incremental, iterator_data_type: undefined } },
      'iterator_data_type is required',
    ],
    [
      'a `from` in another format',
      400,
      { sync_mode: { ...incremental, from: '2026-01-01' } },
      'sync_mode.from must be a valid time',
    ],
    [
      'an `until` that does not exist',
      400,
      { sync_mode: { ...incremental, until: '2026-02-30T00:00:00Z' } },
      'sync_mode.until must be a valid time',
    ],
    [
      'an `until` before `from`',
      400,
      { sync_mode: { ...incremental, from: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' } },
      'is before `from`',
    ],
    ['a missing schedule', 400, { schedule: undefined }, 'schedule is missing'],
    ['an unknown schedule', 400, { schedule: { type: 'often' } }, 'schedule.type must be'],
    ['a missing frequency', 400, { schedule: { ...interval, frequency: undefined } }, 'schedule.frequency is required'],
    ['an unknown frequency', 400, { schedule: { ...interval, frequency: 'yearly' } }, 'schedule.frequency must be'],
    ['a missing start', 400, { schedule: { ...interval, start: undefined } }, 'schedule.start is required'],
    ['a start that is not a time', 400, { schedule: { ...interval, start: 'soon' } }, 'schedule.start must be a time'],
    ['an end before the start', 400, { schedule: { ...interval, end: '2025-01-01T00:00:00Z' } }, 'is before `start`'],
    ['a delay without a unit', 400, { schedule: { ...interval, delay: '5' } }, 'schedule.delay must be'],
    ['a delay in a different unit', 400, { schedule: { ...interval, delay: '5 min' } }, 'schedule.delay must be'],
    ['a feed id that is not an integer', 400, { partner_feed_id: 1.5 }, 'partner_feed_id must be'],
  ])('are rejected for %s, with status %i', async (_what, status, fields, sentence) => {
    const reply = await emulator.create(PIPELINES, { ...PIPELINE, id: 'other', ...fields });
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(sentence)]);
    expect(await emulator.get(PIPELINES)).toHaveLength(1);
  });

  test('prevent the deletion of their connection and data model', async () => {
    for (const path of ['connections/lake', 'data-models/people']) {
      const reply = await emulator.ask('DELETE', path);
      expect([reply.status, reply.text]).toEqual([
        400,
        expect.stringContaining('Resource is in use: by pipeline sync'),
      ]);
    }
    await emulator.ask('DELETE', `${PIPELINES}/sync`);
    expect((await emulator.ask('DELETE', 'connections/lake')).status).toBe(204);
  });

  test.each([
    ['', 400],
    ['?preventResets=true', 400],
    ['?preventResets=false', 200],
    ['?preventResets=yes', 400],
  ])('accept a new sync mode only with preventResets=false: the query "%s" returns %i', async (parameters, status) => {
    const changed = { ...PIPELINE, name: 'New', sync_mode: incremental };
    const reply = await emulator.put(PIPELINES, changed, parameters);
    expect(reply.status).toBe(status);
    const after = await emulator.get<typeof PIPELINE>(`${PIPELINES}/sync`);
    expect(after).toMatchObject(status === 200 ? changed : PIPELINE);
    // Other fields can be changed without the parameter.
    const named = await emulator.put(PIPELINES, { ...after, name: 'Other' });
    expect([named.status, named.json]).toMatchObject([200, { name: 'Other' }]);
  });

  test('cannot be changed with PATCH', async () => {
    expect((await emulator.ask('PATCH', `${PIPELINES}/sync`, PIPELINE)).status).toBe(404);
  });

  test.each<[string, unknown, number]>([
    ['trigger', { pipeline_id: 'other' }, 404],
    ['trigger', {}, 400],
    ['trigger', '{', 400],
    ['reset', { pipeline_id: 'other', reset_type: 'full' }, 404],
    ['reset', { pipeline_id: 'sync', reset_type: 'partial' }, 400],
    ['reset', { pipeline_id: 'sync' }, 400],
  ])('have a %s endpoint that responds to the invalid body %j with %i', async (verb, body, status) => {
    expect((await emulator.ask('POST', `${PIPELINES}/${verb}`, body)).status).toBe(status);
  });
});

describe('run lists', () => {
  const days = Array.from({ length: 30 }, (_, index) => `2026-01-${String(index + 1).padStart(2, '0')}`);
  beforeAll(async () => {
    emulator = await startWarehouseEmulator({
      fixtures: {
        connections: [{ ...CONNECTION, status: 'faulted', errors: [{ message: 'The account is locked' }] }],
        data_models: [{ ...MODEL, status: 'invalid', errors: [{ message: 'No such column' }] }],
        pipelines: [
          {
            ...PIPELINE,
            status: 'faulted',
            errors: [{ message: 'It failed' }],
            sync_mode: { type: 'incremental', iterator_field: 'at', iterator_data_type: 'timestamp' },
          },
        ],
        runs: days.map((day, index) => ({
          pipeline_id: 'sync',
          ...(index === 0 && { id: 1000 }),
          status: index === 29 ? 'failed' : 'success',
          logical_date: `${day}T06:00:00Z`,
          range_end: `${day}T05:00:00Z`,
          successful_records: index,
          ...(index === 29 && { errors: [{ message: 'It failed' }] }),
        })),
      },
    });
  });
  afterAll(() => emulator.close());

  interface Page {
    items: { id: number; logical_date: string }[];
    [field: string]: unknown;
  }

  test.each<[string, [number, number, number, number, boolean, boolean], string[]]>([
    ['', [1, 25, 2, 30, false, true], days.slice(5).reverse()],
    ['?currentPage=2', [2, 25, 2, 30, true, false], days.slice(0, 5).reverse()],
    ['?currentPage=3&pageSize=10', [3, 10, 3, 30, true, false], days.slice(0, 10).reverse()],
    ['?currentPage=9', [9, 25, 2, 30, true, false], []],
    ['?startDate=2026-01-29', [1, 25, 1, 2, false, false], days.slice(28).reverse()],
    ['?endDate=2026-01-02', [1, 25, 1, 2, false, false], days.slice(0, 2).reverse()],
    ['?endDate=2026-01-02T05:59:59Z', [1, 25, 1, 1, false, false], days.slice(0, 1)],
    ['?startDate=2026-01-03T06:00:00Z&endDate=2026-01-03T06:00:00Z', [1, 25, 1, 1, false, false], days.slice(2, 3)],
    ['?startDate=2027-01-01', [1, 25, 0, 0, false, false], []],
  ])(
    'contain the requested page for "%s"',
    async (parameters, [page, size, pages, total, previous, next], expected) => {
      const { items, ...rest } = await emulator.get<Page>(`${PIPELINES}/sync/runs${parameters}`);
      expect(rest).toEqual({
        current_page: page,
        page_size: size,
        total_pages: pages,
        total_items: total,
        has_previous_page: previous,
        has_next_page: next,
      });
      expect(items.map(({ logical_date }) => logical_date.slice(0, 10))).toEqual(expected);
    },
  );

  test('contain 64-bit ids that can be used to read a run', async () => {
    const id = '9223372036854775807';
    const fixtures = {
      connections: [CONNECTION],
      data_models: [MODEL],
      pipelines: [PIPELINE],
      runs: [{ id: BigInt(id), pipeline_id: 'sync', status: 'success', logical_date: '2026-01-01T00:00:00Z' }],
    };
    const other = await opened(startWarehouseEmulator({ fixtures }));
    const { status, text } = await other.ask('GET', `${PIPELINES}/sync/runs/${id}`);
    expect({ status, text }).toEqual({ status: 200, text: expect.stringContaining(`"id":${id},`) as string });
    expect((await other.ask('GET', `${PIPELINES}/sync/runs/9999999999999999999`)).status).toBe(404);
  });

  test.each(['currentPage=0', 'currentPage=x', 'pageSize=0', 'pageSize=101', 'startDate=soon', 'endDate=2026-02-30'])(
    'are not returned for the invalid parameter %s: the status is 400',
    async (parameters) => {
      expect((await emulator.ask('GET', `${PIPELINES}/sync/runs?${parameters}`)).status).toBe(400);
    },
  );

  test('contain runs that can be read individually', async () => {
    expect(await emulator.get(`${PIPELINES}/sync/runs/1000`)).toMatchObject({ id: 1000, status: 'success' });
    for (const id of ['1', 'x', '99999999999999999999']) {
      expect((await emulator.ask('GET', `${PIPELINES}/sync/runs/${id}`)).status).toBe(404);
    }
    for (const path of ['runs', 'report', 'runs/1000']) {
      expect((await emulator.ask('GET', `${PIPELINES}/other/${path}`)).status).toBe(404);
    }
  });

  test('are summarized by the report', async () => {
    expect(await emulator.get(`${PIPELINES}/sync/report`)).toMatchObject({
      status: 'faulted',
      errors: [{ message: 'It failed' }],
      connection_status: 'faulted',
      connection_errors: [{ message: 'The account is locked' }],
      data_model_status: 'invalid',
      data_model_errors: [{ message: 'No such column' }],
      latest_successful_pipeline_run_id: 1028,
      current_iterator_position: '2026-01-29T05:00:00.000Z',
      latest_pipeline_run: { id: 1029, status: 'failed', errors: [{ message: 'It failed' }] },
    });
  });
});
