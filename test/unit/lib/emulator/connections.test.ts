// Connections on the embedded platform: every rule and status, masks, and access to warehouses.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { opened } from '../../../helpers/opened.ts';
import { CONNECTION, MODEL, PIPELINE } from '../../../helpers/sync-definitions.ts';
import { makeWarehouse, startWarehouseEmulator, type WarehouseEmulator } from '../../../helpers/warehouse.ts';

const INVALID = 'Creation failed through a request error or unprocessable entity: ';
const PIPELINES = 'inputs/data-pipelines';

/** One configuration per provider. */
const CONFIGS = {
  PROVIDER_A: {
    account_identifier: 'acme',
    region: 'west.cloud',
    warehouse: 'w',
    database: 'd',
    user: 'u',
    role: 'r',
    password: 'secret-a',
    storage_integration: 's',
  },
  PROVIDER_B: {
    region: 'west',
    project_id: 'p',
    dataset_id: 'd',
    service_account_id: 'a',
    service_account_key: '{"key":"secret-b"}',
  },
  PROVIDER_C: { database: 'd', user: 'u', password: 'secret-c', cloud_iam_role_arn: 'arn', host: 'h' },
  PROVIDER_D: { provider: 'acme', schema: 's' },
} as const;
type Provider = keyof typeof CONFIGS;
const providers = Object.keys(CONFIGS) as Provider[];

function connectionOf(service_provider: Provider, config: object = {}) {
  return { ...CONNECTION, service_provider, config: { ...CONFIGS[service_provider], ...config } };
}

let emulator: WarehouseEmulator;

describe('connections', () => {
  beforeEach(async () => {
    emulator = await opened(startWarehouseEmulator());
  });

  test.each(providers)('are created, read, changed and deleted for %s', async (provider) => {
    await emulator.api.set('2026-03-01T00:00:00Z');
    const by = `${emulator.ready.client_id}@platform.example`;
    const { state: _state, ...sent } = connectionOf(provider);
    const created = await emulator.create('connections', sent);
    const config: Record<string, string> = { ...sent.config };
    if (provider === 'PROVIDER_C') config['port'] = '5432';
    for (const field of ['password', 'service_account_key']) if (field in config) config[field] = '********';
    const expected = {
      ...sent,
      config,
      state: 'new',
      status: 'healthy',
      errors: [],
      created_on: '2026-03-01T00:00:00.000Z',
      created_by: by,
      last_modified_on: null,
      last_modified_by: null,
    };
    expect([created.status, created.json]).toEqual([200, expected]);
    expect(created.text).not.toContain('secret-');
    expect(await emulator.get('connections')).toEqual([expected]);
    expect(await emulator.get(`connections?serviceProvider=${provider}`)).toHaveLength(1);
    const other = providers.find((candidate) => candidate !== provider);
    expect(await emulator.get(`connections?serviceProvider=${other}`)).toEqual([]);

    await emulator.api.advance('1h');
    // A response can be sent back with the masks that it contains.
    const changed = await emulator.put('connections', { ...(created.json as typeof expected), name: 'New' });
    const after = { ...expected, name: 'New', last_modified_on: '2026-03-01T01:00:00.000Z', last_modified_by: by };
    expect([changed.status, changed.json]).toEqual([200, after]);
    expect(await emulator.get('connections/lake')).toEqual(after);

    const deleted = await emulator.ask('DELETE', 'connections/lake');
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await emulator.ask('GET', 'connections/lake')).status).toBe(404);
  });

  const required = providers.flatMap((provider) =>
    Object.keys(CONFIGS[provider]).map((field) => [provider, field] as const),
  );
  test.each(required)('are rejected for %s if %s is missing or empty', async (provider, field) => {
    const reply = await emulator.create('connections', connectionOf(provider, { [field]: undefined }));
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(`config.${field} is missing`)]);
    const empty = await emulator.create('connections', connectionOf(provider, { [field]: ' ' }));
    expect([empty.status, empty.text]).toEqual([400, expect.stringContaining(`config.${field} is empty`)]);
  });

  test.each<[string, unknown, string]>([
    ['an id that is not a slug', { ...CONNECTION, id: 'a b' }, 'id may contain only letters, digits, `_` and `-`'],
    ['no id', { ...CONNECTION, id: undefined }, 'id is missing'],
    ['an empty name', { ...CONNECTION, name: '' }, 'name is empty'],
    ['an unknown state', { ...CONNECTION, state: 'paused' }, 'state must be'],
    ['an unknown provider', { ...CONNECTION, service_provider: 'PROVIDER_E' }, 'service_provider must be'],
    ['no config', { ...CONNECTION, config: undefined }, 'config is missing'],
    ['a number instead of a string', connectionOf('PROVIDER_C', { port: 5432 }), 'config.port must be a string'],
    ['a mask as a new secret', connectionOf('PROVIDER_A', { password: '***' }), 'config.password is a mask'],
    ['malformed JSON', '{"id":', ''],
  ])('are rejected if the request has %s', async (_what, body, sentence) => {
    const reply = await emulator.create('connections', body);
    expect(reply.status).toBe(400);
    expect((reply.json as { errors: { message: string }[] }).errors[0]?.message).toContain(INVALID + sentence);
  });

  test('are rejected if the id is a duplicate, differs from the path or is unknown, or if a filter or method is unknown', async () => {
    await emulator.create('connections', CONNECTION);
    expect((await emulator.create('connections', CONNECTION)).text).toContain('id `lake` is taken');
    const renamed = await emulator.ask('PUT', 'connections/lake', { ...CONNECTION, id: 'pond' });
    expect([renamed.status, renamed.text]).toEqual([400, expect.stringContaining('the path has `lake`')]);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await emulator.ask(method, 'connections/pond', CONNECTION)).status).toBe(404);
    }
    expect((await emulator.ask('GET', 'connections?serviceProvider=other')).status).toBe(400);
    expect((await emulator.ask('PATCH', 'connections/lake', {})).status).toBe(404);
  });

  test('are stored without unknown fields, and rejected if a secret is a mask and the provider changes', async () => {
    await emulator.create('connections', { ...connectionOf('PROVIDER_A', { extra: 1 }), more: 2 });
    const stored = await emulator.get('connections/lake');
    expect(stored).not.toHaveProperty('more');
    expect(stored).not.toHaveProperty(['config', 'extra']);
    const moved = await emulator.put('connections', connectionOf('PROVIDER_C', { password: '********' }));
    expect(moved.status).toBe(400);
  });

  test('are accessible only in their workspace and with valid credentials', async () => {
    const paths = ['9/connections', 'x/data-models', '9/inputs/data-pipelines'];
    for (const path of paths) expect((await emulator.call('GET', `/platform/v2/workspaces/${path}`)).status).toBe(404);
    expect((await emulator.send('GET', '/platform/v2/workspaces/3001/connections')).status).toBe(401);
  });
});

describe('connecting to a warehouse', () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cdpadm-test-'));
    const file = await makeWarehouse(folder, 'CREATE TABLE people (customer_id TEXT); INSERT INTO people VALUES (1)');
    const match = { account_identifier: 'acme', database: 'd' };
    emulator = await startWarehouseEmulator({
      fixtures: {
        warehouses: [
          { service_provider: 'PROVIDER_A', match, credentials: { user: 'u', password: 'secret-a' }, file },
          { service_provider: 'PROVIDER_D', match: { provider: 'gone' }, file: join(folder, 'gone.db') },
        ],
      },
    });
  });
  afterAll(async () => {
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const SENTENCE =
    'Failed to connect to the warehouse account (credentials, account, region, warehouse or database wrong): ';
  test.each<[string, object, string]>([
    [
      'an unknown account',
      connectionOf('PROVIDER_A', { account_identifier: 'x' }),
      'no warehouse matches `account_identifier`, `database`',
    ],
    ['an unknown database', connectionOf('PROVIDER_A', { database: 'x' }), 'no warehouse matches'],
    ['an invalid password', connectionOf('PROVIDER_A', { password: 'x' }), 'credentials rejected: `password`'],
    [
      'an invalid user and password',
      connectionOf('PROVIDER_A', { password: 'x', user: 'y' }),
      'credentials rejected: `user`, `password`',
    ],
    ['a provider without a warehouse', connectionOf('PROVIDER_B'), 'no PROVIDER_B warehouse is known'],
    ['a missing file', connectionOf('PROVIDER_D', { provider: 'gone' }), 'the warehouse file'],
  ])('returns 505 for %s', async (_what, body, sentence) => {
    const reply = await emulator.create('connections', body);
    expect(reply.status).toBe(505);
    expect((reply.json as { errors: { message: string }[] }).errors[0]?.message).toContain(SENTENCE + sentence);
    expect(reply.text).not.toContain('secret-a');
    expect((await emulator.ask('GET', 'connections/lake')).status).toBe(404);
  });

  test('uses the stored secret if the request contains a mask', async () => {
    const valid = connectionOf('PROVIDER_A');
    expect((await emulator.create('connections', valid)).status).toBe(200);
    expect((await emulator.put('connections', connectionOf('PROVIDER_A', { password: '＊＊＊' }))).status).toBe(200);
    expect((await emulator.put('connections', connectionOf('PROVIDER_A', { password: 'wrong' }))).status).toBe(505);
    expect((await emulator.put('connections', valid)).json).toMatchObject({ config: { password: '********' } });
    await emulator.create('data-models', MODEL);
    await emulator.create(PIPELINES, PIPELINE);
    await emulator.trigger();
    await emulator.api.advance('1s');
    expect((await emulator.runs())[0]).toMatchObject({ status: 'success', successful_records: 1 });
  });
});

test("applies a deployment's names to connections", async () => {
  const names = { PROVIDER_A: 'icehouse', 'cloud_*': 'sky_' };
  emulator = await opened(startWarehouseEmulator({ names }));
  const config = { ...CONFIGS.PROVIDER_A, sky_external_id: 'x' };
  const created = await emulator.create('connections', { ...CONNECTION, service_provider: 'icehouse', config });
  expect([created.status, created.json]).toMatchObject([
    200,
    { service_provider: 'icehouse', config: { sky_external_id: 'x', password: '********' } },
  ]);
  expect(await emulator.get('connections?serviceProvider=icehouse')).toEqual([created.json]);
});
