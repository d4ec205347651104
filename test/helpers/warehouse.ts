// A workspace on an embedded platform with a warehouse file, for tests of warehouse sync.
import { join } from 'node:path';
import { createDatabaseFile } from '../../src/lib/emulator/base/db.ts';
import type { StartOptions } from '../../src/lib/emulator/index.ts';
import { makeSampleWarehouse } from '../../src/lib/emulator/warehouse/sample.ts';
import { type Exchange, startTestEmulator, type TestEmulator } from './emulator.ts';
import { CONNECTION, MODEL, PIPELINE } from './sync-definitions.ts';

/**
 * Creates a sample warehouse in an existing folder and returns its path. The warehouse has only a few rows, which keeps
 * runs short.
 */
export async function makeSmallSample(folder: string): Promise<string> {
  const path = join(folder, 'sample.db');
  await makeSampleWarehouse(path, 20);
  return path;
}

/** Creates a SQLite file from SQL statements and returns its path. */
export async function makeWarehouse(folder: string, sql: string, name = 'warehouse.db'): Promise<string> {
  const path = join(folder, name);
  const db = await createDatabaseFile(path);
  db.exec(sql);
  db.close();
  return path;
}

export interface RunJson {
  id: number;
  pipeline_id: string;
  type: string;
  status: string;
  errors: { message: string }[];
  logical_date: string;
  started_on: string | null;
  ended_on: string | null;
  range_start: string | null;
  range_end: string | null;
  successful_records: number;
  failed_records: number;
}

export interface WarehouseEmulator extends TestEmulator {
  /** Sends a request to a path in the workspace, such as `connections/lake`. */
  ask(method: string, path: string, body?: unknown): Promise<Exchange>;
  /** Sends a GET that must succeed, and returns its body. */
  get<T = Record<string, unknown>>(path: string): Promise<T>;
  put(kind: Kind, body: { id: string; [field: string]: unknown }, query?: string): Promise<Exchange>;
  create(kind: Kind, body: unknown): Promise<Exchange>;
  /** Triggers `sync` and returns the run's id. */
  trigger(): Promise<number>;
  /** Returns all runs of `sync`, newest first. */
  runs(): Promise<RunJson[]>;
  /** Returns the profile with this identity, given as `TYPE=VALUE`; undefined if there is none. */
  profile(identity: string): Promise<{ user_attributes: Record<string, unknown>; events: unknown[] } | undefined>;
}

type Kind = 'connections' | 'data-models' | 'inputs/data-pipelines';

/** Starts a platform, by default with a manual clock. */
export async function startWarehouseEmulator(options: StartOptions = {}): Promise<WarehouseEmulator> {
  const emulator = await startTestEmulator({ clock: 'manual', ...options });
  const base = `/platform/v2/workspaces/${emulator.ready.workspace_id}`;
  const ask = (method: string, path: string, body?: unknown): Promise<Exchange> =>
    emulator.call(method, `${base}/${path}`, { body });
  const expectStatus = (reply: Exchange, status: number): Exchange => {
    if (reply.status !== status) throw new Error(`${reply.status} instead of ${status}: ${reply.text}`);
    return reply;
  };
  return {
    ...emulator,
    ask,
    get: async <T>(path: string) => expectStatus(await ask('GET', path), 200).json as T,
    put: (kind, body, query = '') => ask('PUT', `${kind}/${body.id}${query}`, body),
    create: (kind, body) => ask('POST', kind, body),
    trigger: async () => {
      const reply = expectStatus(await ask('POST', 'inputs/data-pipelines/trigger', { pipeline_id: 'sync' }), 200);
      return (reply.json as { pipeline_run_id: number }).pipeline_run_id;
    },
    runs: async () => {
      const reply = expectStatus(await ask('GET', 'inputs/data-pipelines/sync/runs?pageSize=100'), 200);
      return (reply.json as { items: RunJson[] }).items;
    },
    profile: async (identity) => {
      const reply = expectStatus(await emulator.send('GET', `/_control/profiles?${identity}`), 200);
      return (reply.json as { user_attributes: Record<string, unknown>; events: unknown[] }[])[0];
    },
  };
}

/** The initial time for `startSync`. */
export const T0 = '2026-03-01T00:00:00Z';

/**
 * Starts a platform at the time `T0` with a connection, a data model and a pipeline. `sql` and `pipeline` change the
 * last two.
 */
export async function startSync(
  options: StartOptions,
  pipeline: Record<string, unknown> = {},
  sql: string = MODEL.config.sql_query,
): Promise<WarehouseEmulator> {
  const emulator = await startWarehouseEmulator(options);
  await emulator.api.set(T0);
  const made = [
    await emulator.create('connections', CONNECTION),
    await emulator.create('data-models', { ...MODEL, config: { sql_query: sql } }),
    await emulator.create('inputs/data-pipelines', { ...PIPELINE, ...pipeline }),
  ];
  const refused = made.find(({ status }) => status !== 200);
  if (refused) throw new Error(`${refused.status}: ${refused.text}`);
  return emulator;
}
