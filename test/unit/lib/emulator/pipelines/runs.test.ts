// Runs on the embedded platform, started by triggers or by the clock, with rows from a real file.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTestClock } from '../../../../helpers/clock.ts';
import { opened } from '../../../../helpers/opened.ts';
import { CONNECTION, MODEL, PIPELINE } from '../../../../helpers/sync-definitions.ts';
import { size } from '../../../../helpers/size.ts';
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts';
import {
  makeWarehouse,
  type RunJson,
  startSync,
  startWarehouseEmulator,
  T0,
  type WarehouseEmulator,
} from '../../../../helpers/warehouse.ts';

const PEOPLE = `
  CREATE TABLE people (customer_id TEXT, email TEXT, city TEXT, points INTEGER, updated_at TEXT);
  INSERT INTO people VALUES
    ('c-1', 'a@people.example', 'Here', 1, '2026-01-01T00:00:00Z'),
    ('c-2', NULL, 'There', 2, '2026-02-28 12:00:00'),
    (NULL, NULL, 'Nowhere', 3, '2026-02-28T12:00:00Z'),
    ('c-4', NULL, 'Later', 4, '2026-03-02T12:00:00+00:00')`;

const INCREMENTAL = { type: 'incremental', iterator_field: 'updated_at', iterator_data_type: 'timestamp' };

let folder: string;
let warehouse: string;
beforeEach(async () => {
  folder = temporaryFolder();
  warehouse = await makeWarehouse(folder, PEOPLE);
});

function start(pipeline: Record<string, unknown> = {}, sql?: string): Promise<WarehouseEmulator> {
  return opened(startSync({ warehouse }, pipeline, sql));
}

describe('a triggered run', () => {
  test('reads and counts the rows, and finishes after one second of platform time', async () => {
    const platform = await start();
    const id = await platform.trigger();
    const report = 'inputs/data-pipelines/sync/report';
    expect(await platform.get(report)).toMatchObject({ status: 'running', latest_pipeline_run: { id } });
    expect((await platform.ask('POST', 'inputs/data-pipelines/trigger', { pipeline_id: 'sync' })).status).toBe(400);

    await platform.api.advance('1s');
    const run = await platform.get(`inputs/data-pipelines/sync/runs/${id}`);
    expect(run).toEqual({
      id,
      pipeline_id: 'sync',
      type: 'manual',
      status: 'success',
      errors: [{ message: '1 record failed: no identity' }],
      logical_date: '2026-03-01T00:00:00.000Z',
      started_on: '2026-03-01T00:00:00.000Z',
      ended_on: '2026-03-01T00:00:01.000Z',
      range_start: null,
      range_end: '2026-03-01T00:00:00.000Z',
      successful_records: 3,
      failed_records: 1,
    });
    expect(await platform.get(report)).toEqual({
      pipeline_id: 'sync',
      status: 'idle',
      errors: [],
      connection_status: 'healthy',
      connection_errors: [],
      data_model_status: 'valid',
      data_model_errors: [],
      latest_successful_pipeline_run_id: id,
      latest_pipeline_run: run,
    });
    expect(await platform.profile('customer_id=c-1')).toMatchObject({
      identities: { customer_id: ['c-1'], email: ['a@people.example'] },
      user_attributes: { city: 'Here', points: 1 },
    });
  });

  test('reads everything on the first incremental run, then continues from the last position', async () => {
    const platform = await start({ sync_mode: INCREMENTAL });
    await platform.trigger();
    await platform.api.advance('1d');
    await platform.trigger();
    await platform.api.advance('1d');
    await platform.trigger();
    await platform.api.advance('1s');
    expect((await platform.runs()).map(brief)).toEqual([
      ['2026-03-03T00:00:00.000Z', '2026-03-02T00:00:00.000Z', '2026-03-03T00:00:00.000Z', 1, 0],
      ['2026-03-02T00:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z', 0, 0],
      ['2026-03-01T00:00:00.000Z', null, '2026-03-01T00:00:00.000Z', 2, 1],
    ]);
    const report = await platform.get('inputs/data-pipelines/sync/report');
    expect(report).toMatchObject({ current_iterator_position: '2026-03-03T00:00:00.000Z' });
  });

  test('respects `from`, `until` and the delay', async () => {
    const sync_mode = { ...INCREMENTAL, from: '2026-02-01T00:00:00Z', until: '2026-03-01T10:00:00Z' };
    const platform = await start({ sync_mode, schedule: { type: 'on_demand', delay: '12h' } });
    await platform.trigger();
    await platform.api.advance('3d');
    await platform.trigger();
    await platform.api.advance('1s');
    expect((await platform.runs()).map(brief)).toEqual([
      ['2026-03-04T00:00:00.000Z', '2026-02-28T12:00:00.000Z', '2026-03-01T10:00:00.000Z', 0, 0],
      // The range includes its end, and therefore the rows at 12:00.
      ['2026-03-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-02-28T12:00:00.000Z', 1, 1],
    ]);
  });

  test('creates events for an events pipeline', async () => {
    const sql = "SELECT email, 'signup' AS event_name, city, points FROM people WHERE email IS NOT NULL";
    const platform = await start({ pipeline_type: 'events', field_transformation_id: 'map' }, sql);
    await platform.trigger();
    await platform.api.advance('1s');
    const profile = await platform.profile('email=a@people.example');
    expect(profile?.user_attributes).toEqual({});
    expect(profile?.events).toEqual([
      {
        received_on: '2026-03-01T00:00:00.000Z',
        event: {
          event_type: 'custom_event',
          data: { event_name: 'signup', custom_attributes: { city: 'Here', points: 1 } },
        },
      },
    ]);
  });

  test('fails if every record failed', async () => {
    const platform = await start({}, 'SELECT city FROM people');
    await platform.trigger();
    await platform.api.advance('1s');
    expect((await platform.runs())[0]).toMatchObject({
      status: 'failed',
      errors: [{ message: 'No record could be synchronized' }, { message: '4 records failed: no identity' }],
      successful_records: 0,
      failed_records: 4,
    });
    expect(await platform.get('inputs/data-pipelines/sync')).toMatchObject({ status: 'faulted' });
  });

  test('succeeds if there are no rows', async () => {
    const platform = await start({}, 'SELECT * FROM people WHERE points > 10');
    await platform.trigger();
    await platform.api.advance('1s');
    expect((await platform.runs())[0]).toMatchObject({ status: 'success', successful_records: 0, errors: [] });
  });

  test('starts from the beginning after a reset', async () => {
    const platform = await start({ sync_mode: INCREMENTAL });
    await platform.trigger();
    await platform.api.advance('1s');
    const reset = { pipeline_id: 'sync', reset_type: 'full' };
    expect((await platform.ask('POST', 'inputs/data-pipelines/reset', reset)).status).toBe(204);
    const report = 'inputs/data-pipelines/sync/report';
    expect(await platform.get(report)).toMatchObject({ current_iterator_position: null });
    await platform.trigger();
    // A run that was triggered before a reset does not restore the position.
    expect((await platform.ask('POST', 'inputs/data-pipelines/reset', reset)).status).toBe(204);
    await platform.api.advance('1s');
    expect((await platform.runs())[0]).toMatchObject({ successful_records: 2, range_start: null });
    expect(await platform.get(report)).toMatchObject({ current_iterator_position: null });
  });

  test('is stopped by a pause and deleted with its pipeline', async () => {
    const platform = await start();
    const id = await platform.trigger();
    const paused = { ...PIPELINE, state: 'paused' };
    expect((await platform.put('inputs/data-pipelines', paused)).json).toMatchObject({ status: 'stopped' });
    expect(await platform.get(`inputs/data-pipelines/sync/runs/${id}`)).toMatchObject({ status: 'stopped' });
    const rejected = await platform.ask('POST', 'inputs/data-pipelines/trigger', { pipeline_id: 'sync' });
    expect([rejected.status, rejected.text]).toEqual([400, expect.stringContaining('it is paused')]);
    await platform.put('inputs/data-pipelines', PIPELINE);
    await platform.trigger();
    expect((await platform.ask('DELETE', 'inputs/data-pipelines/sync')).status).toBe(204);
    await platform.api.advance('1s');
    expect((await platform.ask('GET', `inputs/data-pipelines/sync/runs/${id}`)).status).toBe(404);
    await platform.create('inputs/data-pipelines', PIPELINE);
    expect(await platform.runs()).toEqual([]);
  });
});

describe('scheduled runs', () => {
  const hourly = { type: 'interval', frequency: 'hourly', start: '2026-03-01T06:00:00Z' };

  test('start according to the clock, one per interval', async () => {
    const platform = await start({ sync_mode: INCREMENTAL, schedule: hourly });
    await platform.api.advance('5h');
    expect(await platform.runs()).toEqual([]);
    await platform.api.advance('3h');
    // The last run has just started and takes one second.
    expect((await platform.runs()).map(({ status, type, logical_date }) => [status, type, logical_date])).toEqual([
      ['running', 'scheduled', '2026-03-01T08:00:00.000Z'],
      ['success', 'scheduled', '2026-03-01T07:00:00.000Z'],
      ['success', 'scheduled', '2026-03-01T06:00:00.000Z'],
    ]);
    await platform.api.advance('1s');
    expect((await platform.runs()).map(brief)).toEqual([
      ['2026-03-01T08:00:00.000Z', '2026-03-01T07:00:00.000Z', '2026-03-01T08:00:00.000Z', 0, 0],
      ['2026-03-01T07:00:00.000Z', '2026-03-01T06:00:00.000Z', '2026-03-01T07:00:00.000Z', 0, 0],
      ['2026-03-01T06:00:00.000Z', null, '2026-03-01T06:00:00.000Z', 2, 1],
    ]);
  });

  test('all start when the clock advances by a week, and all but the last one are completed', async () => {
    const platform = await start({ sync_mode: INCREMENTAL, schedule: hourly });
    await platform.api.advance('7d');
    const page = await platform.get<{ total_items: number; items: { status: string }[] }>(
      'inputs/data-pipelines/sync/runs?pageSize=100',
    );
    expect(page.total_items).toBe(7 * 24 - 5);
    expect(new Set(page.items.slice(1).map(({ status }) => status))).toEqual(new Set(['success']));
    expect(await platform.profile('customer_id=c-4')).toMatchObject({
      last_modified_on: '2026-03-02T12:00:00.000Z',
    });
  });

  test('are executed on start if they were due while the platform was stopped', async () => {
    const data = join(folder, 'data');
    const before = await startSync({ warehouse, data }, { sync_mode: INCREMENTAL, schedule: hourly });
    await before.close();
    const systemClock = createTestClock(Date.parse(T0) + 8 * 3_600_000);
    const after = await opened(startWarehouseEmulator({ warehouse, data, clock: 'real', systemClock }));
    // The platform can start before all runs are complete, but advancing the clock waits for them.
    await after.api.advance('0s');
    expect((await after.runs()).map(({ logical_date, ended_on }) => [logical_date, ended_on])).toEqual([
      ['2026-03-01T08:00:00.000Z', null],
      ['2026-03-01T07:00:00.000Z', '2026-03-01T07:00:01.000Z'],
      ['2026-03-01T06:00:00.000Z', '2026-03-01T06:00:01.000Z'],
    ]);
  });

  test('end when the schedule ends, and begin one interval late if `from` equals `start`', async () => {
    const schedule = { ...hourly, start: '2026-03-01T00:00:00Z', end: '2026-03-01T02:30:00Z' };
    const platform = await start({ sync_mode: { ...INCREMENTAL, from: schedule.start }, schedule });
    await platform.api.advance('1d');
    expect((await platform.runs()).map(({ logical_date }) => logical_date)).toEqual([
      '2026-03-01T02:00:00.000Z',
      '2026-03-01T01:00:00.000Z',
    ]);
  });

  test('start only once if the schedule type is `once`', async () => {
    const platform = await start({ schedule: { type: 'once', start: '2026-03-01T01:00:00Z' } });
    await platform.api.advance('30m');
    expect(await platform.runs()).toEqual([]);
    await platform.api.advance('5d');
    await platform.put('inputs/data-pipelines', { ...PIPELINE, ...{ schedule: { type: 'once' } } });
    await platform.api.advance('5d');
    expect((await platform.runs()).map(({ type, status }) => [type, status])).toEqual([['scheduled', 'success']]);
  });

  test.each(['new', 'paused'])("do not start if the pipeline's state is %s", async (state) => {
    const platform = await start({ state, schedule: hourly });
    await platform.api.advance('1d');
    expect(await platform.runs()).toEqual([]);
  });

  test('start at the next interval after the pipeline is activated', async () => {
    const platform = await start({ state: 'paused', schedule: hourly });
    await platform.api.advance('7h');
    await platform.put('inputs/data-pipelines', { ...PIPELINE, schedule: hourly });
    await platform.api.advance('30m');
    await platform.put('inputs/data-pipelines', { ...PIPELINE, schedule: hourly });
    await platform.api.advance('1h');
    // The pipeline was activated at exactly 7:00, and the second change does not repeat that hour's run.
    expect((await platform.runs()).map(({ logical_date }) => logical_date)).toEqual([
      '2026-03-01T08:00:00.000Z',
      '2026-03-01T07:00:00.000Z',
    ]);
  });
});

describe('a run fails', () => {
  test("if its data model's query fails, until the query is fixed", async () => {
    const schedule = { type: 'interval', frequency: 'hourly', start: '2026-03-01T01:00:00Z' };
    const platform = await start({ schedule }, 'SELECT missing FROM people');
    await platform.api.advance('3h');
    const message = 'Invalid SQL: no such column: missing';
    expect((await platform.runs()).map(({ status, errors }) => [status, errors])).toEqual([['failed', [{ message }]]]);
    expect(await platform.get('inputs/data-pipelines/sync/report')).toMatchObject({
      status: 'faulted',
      errors: [{ message }],
      data_model_status: 'invalid',
      data_model_errors: [{ message }],
      connection_status: 'healthy',
    });
    await platform.trigger();
    await platform.api.advance('1s');
    expect((await platform.runs())[0]).toMatchObject({
      status: 'failed',
      errors: [{ message: 'Data model `people` is invalid' }],
    });

    expect((await platform.put('data-models', MODEL)).json).toMatchObject({ status: 'valid', errors: [] });
    expect(await platform.get('inputs/data-pipelines/sync')).toMatchObject({ status: 'idle', errors: [] });
    expect(await platform.runs()).toHaveLength(2);
    await platform.api.advance('1h');
    expect((await platform.runs())[0]).toMatchObject({
      status: 'success',
      logical_date: '2026-03-01T04:00:00.000Z',
      successful_records: 3,
    });
  });

  test('if its warehouse is missing, until the warehouse is restored', async () => {
    const platform = await start();
    rmSync(warehouse);
    await platform.trigger();
    await platform.api.advance('1s');
    const connection = await platform.get<{ errors: { message: string }[] }>('connections/lake');
    expect(connection).toMatchObject({ status: 'faulted' });
    expect(connection.errors[0]?.message).toMatch(/^Failed to connect to the warehouse account .*is missing$/);
    const report = 'inputs/data-pipelines/sync/report';
    expect(await platform.get(report)).toMatchObject({
      status: 'faulted',
      connection_status: 'faulted',
      connection_errors: connection.errors,
      data_model_status: 'valid',
      latest_pipeline_run: { status: 'failed', errors: connection.errors },
    });
    expect((await platform.put('connections', CONNECTION)).status).toBe(505);
    expect(await platform.get('connections/lake')).toMatchObject({ status: 'faulted' });

    await makeWarehouse(folder, PEOPLE);
    expect((await platform.put('connections', CONNECTION)).json).toMatchObject({ status: 'healthy', errors: [] });
    expect(await platform.get(report)).toMatchObject({ connection_status: 'healthy', connection_errors: [] });
    await platform.trigger();
    await platform.api.advance('1s');
    expect((await platform.runs())[0]).toMatchObject({ status: 'success' });
  });

  test("if its connection's file is no longer a warehouse", async () => {
    const platform = await start({}, 'SELECT 1 AS customer_id');
    const file = await makeWarehouse(folder, PEOPLE, 'other.db');
    const other = await opened(startSync({ warehouse: file }, {}));
    writeFileSync(file, 'This is not a database.');
    await other.trigger();
    await other.api.advance('1s');
    expect(await other.get('connections/lake')).toMatchObject({ status: 'faulted' });
    expect(await platform.get('connections/lake')).toMatchObject({ status: 'healthy' });
  });

  test('and leaves its pipeline faulted until a triggered run succeeds', async () => {
    const sync_mode = { ...INCREMENTAL, iterator_field: 'changed' };
    const platform = await start({ sync_mode });
    await platform.trigger();
    await platform.api.advance('1s');
    const message = 'The data model has no column for the iterator_field `changed`';
    const pipeline = 'inputs/data-pipelines/sync';
    expect(await platform.get(pipeline)).toMatchObject({ status: 'faulted', errors: [{ message }] });
    expect(await platform.get('data-models/people')).toMatchObject({ status: 'valid' });

    const sql_query = 'SELECT *, updated_at AS changed FROM people';
    await platform.put('data-models', { ...MODEL, config: { sql_query } });
    expect(await platform.get(pipeline)).toMatchObject({ status: 'faulted' });
    await platform.trigger();
    expect(await platform.get(pipeline)).toMatchObject({ status: 'running', errors: [{ message }] });
    await platform.api.advance('1s');
    expect(await platform.get(pipeline)).toMatchObject({ status: 'idle', errors: [] });
  });

  test.each(['connections', 'data-models'] as const)('if one of its %s is inactive', async (kind) => {
    const platform = await start();
    await platform.put(kind, { ...(kind === 'connections' ? CONNECTION : MODEL), state: 'inactive' });
    await platform.trigger();
    await platform.api.advance('1s');
    const message = kind === 'connections' ? 'Connection `lake` is inactive' : 'Data model `people` is inactive';
    expect(await platform.get('inputs/data-pipelines/sync/report')).toMatchObject({
      status: 'faulted',
      errors: [{ message }],
      connection_status: 'healthy',
      data_model_status: 'valid',
      latest_pipeline_run: { status: 'failed', errors: [{ message }] },
    });
    await platform.put(kind, kind === 'connections' ? CONNECTION : MODEL);
    expect(await platform.get('inputs/data-pipelines/sync')).toMatchObject({ status: 'idle' });
  });
});

describe('a long run', () => {
  const ROWS = size(100_000, 6000);
  const MANY = `
    CREATE TABLE people (customer_id TEXT, city TEXT);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
    INSERT INTO people SELECT 'c-' || i, 'Here' FROM n`;

  test('does not block other requests while reading many rows, and counts every row', async () => {
    warehouse = await makeWarehouse(folder, MANY, 'many.db');
    const platform = await start();
    await platform.trigger();
    /** Number of responses during the run, which depends on the machine. */
    let between = 0;
    let counted = 0;
    while (counted < ROWS) {
      const [run] = await platform.runs();
      counted = run?.successful_records ?? 0;
      expect(run?.status).toMatch(/queued|running/);
      if (counted > 0 && counted < ROWS) between++;
    }
    expect(between).toBeGreaterThan(0);
    await platform.api.advance('1s');
    expect((await platform.runs())[0]).toMatchObject({ status: 'success', successful_records: ROWS });
    expect(await platform.get('inputs/data-pipelines/sync')).toMatchObject({ status: 'idle' });
  });

  test('resumes from its position after an interruption by a shutdown', async () => {
    warehouse = await makeWarehouse(folder, MANY, 'many.db');
    const data = join(folder, 'data');
    const before = await startSync(
      { warehouse, data },
      { pipeline_type: 'events', field_transformation_id: 'map' },
      "SELECT 'one' AS customer_id, 'seen' AS event_name FROM people LIMIT 5000",
    );
    await before.trigger();
    let done = 0;
    while (done === 0) done = (await before.runs())[0]?.successful_records ?? 0;
    await before.close();
    const after = await opened(startWarehouseEmulator({ warehouse, data }));
    await after.api.advance('1s');
    expect((await after.runs())[0]).toMatchObject({ status: 'success', successful_records: 5000 });
    expect((await after.profile('customer_id=one'))?.events).toHaveLength(5000);
  });
});

function brief({ logical_date, range_start, range_end, successful_records, failed_records }: RunJson) {
  return [logical_date, range_start, range_end, successful_records, failed_records];
}
