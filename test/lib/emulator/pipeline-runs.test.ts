// Runs on the embedded platform: real rows of a real file, begun by triggers and by the clock.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeWarehouse, startSync, type WarehouseEmulator } from '../../helpers/warehouse.ts';

const T0 = '2026-03-01T00:00:00Z';
const PEOPLE = `
  CREATE TABLE people (customer_id TEXT, email TEXT, city TEXT, points INTEGER, updated_at TEXT);
  INSERT INTO people VALUES
    ('c-1', 'a@people.example', 'Here', 1, '2026-01-01T00:00:00Z'),
    ('c-2', NULL, 'There', 2, '2026-02-28 12:00:00'),
    (NULL, NULL, 'Nowhere', 3, '2026-02-28T12:00:00Z'),
    ('c-4', NULL, 'Later', 4, '2026-03-02T12:00:00+00:00')`;

let folder: string;
let warehouse: string;
let emulator: WarehouseEmulator | undefined;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cdpadm-test-'));
  warehouse = await makeWarehouse(folder, PEOPLE);
});
afterEach(async () => {
  await emulator?.close();
  emulator = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function start(pipeline: Record<string, unknown> = {}, sql?: string): Promise<WarehouseEmulator> {
  emulator = await startSync({ warehouse }, pipeline, sql);
  await emulator.api.set(T0);
  return emulator;
}

describe('a triggered run', () => {
  test('reads the rows, counts them, and ends when a second of the clock is over', async () => {
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
});
