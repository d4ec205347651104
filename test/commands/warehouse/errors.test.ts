// Triggers, from the command line, every error that the specification lists for groups and warehouse sync.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliHome, createCliHome } from '../../helpers/cli.ts';
import { type JsonError, openPlatformHome, type PlatformHome } from '../../helpers/platform-home.ts';
import { makeWarehouse } from '../../helpers/warehouse.ts';
import { CONNECTION, CREATIONS, DEFINITIONS, PIPELINE, SQL, writeAll } from '../../helpers/warehouse-files.ts';

const VALID = { WAREHOUSE_PASSWORD: 'right password' };
const INVALID = { WAREHOUSE_PASSWORD: 'wrong password' };
const W = '/platform/v2/workspaces/';

let home: PlatformHome;
let otherHome: CliHome;
let base: string;

beforeAll(async () => {
  otherHome = createCliHome();
  const columns = 'customer_id TEXT, email TEXT, first_name TEXT, city TEXT, updated_at TEXT';
  const file = await makeWarehouse(otherHome.folder, `CREATE TABLE customers (${columns})`);
  home = await openPlatformHome({
    clock: 'manual',
    fixtures: {
      data_plans: [
        { id: 'live', version: 1, active: true },
        { id: 'retired', version: 1, active: false },
      ],
      warehouses: [
        {
          service_provider: 'PROVIDER_A',
          match: { database: 'crm' },
          credentials: { password: VALID.WAREHOUSE_PASSWORD },
          file,
        },
      ],
    },
  });
  base = `${W}${home.platform.ready.workspace_id}`;
  writeAll(home.cwd, DEFINITIONS);
  home.write('group.yaml', 'id: household\nsource_user_attribute: h\nattributes: [{id: a, type: sum}]\n');
  for (const line of [...CREATIONS, 'groups create -f group.yaml']) {
    expect(await home.run(`${line} --yes`, { env: VALID })).toMatchObject({ code: 0 });
  }
});
afterAll(async () => {
  await home.close();
  otherHome.remove();
});

/** Runs a command line, and returns its exit code and error document. */
async function fail(line: string, env = VALID): Promise<Omit<JsonError, 'code'> & { code: number }> {
  const { code, error } = await home.json(`${line} --yes`, { env });
  return { ...error, code };
}

/** Sends a raw API call, which skips the client's validation. */
async function call(method: string, path: string, body: unknown) {
  home.write('body.json', JSON.stringify(body));
  return await fail(`api ${method} ${path} -f body.json`);
}

describe('warehouse sync', () => {
  it('returns 400 for invalid SQL', async () => {
    home.write('broken.sql', 'SELEC nonsense');
    expect(await fail('data-models create broken --name Broken --sql-file broken.sql')).toMatchObject({
      code: 1,
      status: 400,
      message: expect.stringMatching(/Invalid SQL: .*SELEC/),
    });
  });

  it('returns 400 for an inactive data plan', async () => {
    const line = 'pipelines create p2 -f p2.yaml --data-plan-id retired --data-plan-version 1';
    home.write('p2.yaml', PIPELINE.replace('id: customers', 'id: p2'));
    expect(await fail(line)).toMatchObject({ code: 1, status: 400, message: expect.stringMatching(/not active/) });
  });

  it('returns 400 for a field transformation in a user attributes pipeline, and the client rejects it too', async () => {
    home.write('p2.yaml', PIPELINE.replace('id: customers', 'id: p2'));
    expect(await fail('pipelines create -f p2.yaml --field-transformation-id x')).toMatchObject({ code: 9 });
    const { data } = await home.json<object>('pipelines get customers');
    const body = { ...data, id: 'p2', field_transformation_id: 'x' };
    expect(await call('POST', `${base}/inputs/data-pipelines`, body)).toMatchObject({ code: 1, status: 400 });
  });

  it('rejects a trigger with 400 if the pipeline is not idle', async () => {
    expect((await home.run('pipelines trigger customers --yes --yes')).code).toBe(0);
    expect(await fail('pipelines trigger customers --yes')).toMatchObject({
      code: 6,
      message: expect.stringMatching(/not idle: run \d+ \(manual\) is/),
    });
    const body = { pipeline_id: 'customers' };
    expect(await call('POST', `${base}/inputs/data-pipelines/trigger`, body)).toMatchObject({ code: 1, status: 400 });
    const raw = await home.platform.call('POST', `${base}/inputs/data-pipelines/trigger`, { body });
    expect(raw.json).toEqual({ statusCode: 400, errors: [{ message: expect.any(String) }] });
    await home.platform.api.advance('1m');
  });

  it('rejects a trigger with 400 if the pipeline is paused', async () => {
    expect((await home.run('pipelines pause customers --yes')).code).toBe(0);
    expect(await fail('pipelines trigger customers --yes')).toMatchObject({
      code: 6,
      status: 400,
      hint: expect.stringContaining('cdpadm pipelines resume customers'),
    });
    expect((await home.run('pipelines resume customers --yes')).code).toBe(0);
  });

  it('rejects an update with 400 if preventResets is set and the sync position would be reset', async () => {
    const { data } = await home.json<object>('pipelines get customers');
    const body = { ...data, sync_mode: { type: 'full' } };
    const path = `${base}/inputs/data-pipelines/customers?preventResets=true`;
    expect(await call('PUT', path, body)).toMatchObject({ code: 1, status: 400 });
    expect(await home.json('pipelines get customers')).toMatchObject({ data: { sync_mode: { type: 'incremental' } } });
  });

  it.each(['connections/crm', 'data-models/active-customers'])(
    'rejects the deletion of %s with 400 while a pipeline uses it',
    async (path) => {
      expect(await fail(`${path.split('/')[0] ?? ''} delete ${path.split('/')[1] ?? ''}`)).toMatchObject({ code: 6 });
      expect(await fail(`api DELETE ${base}/${path}`)).toMatchObject({ code: 1, status: 400 });
    },
  );

  it('returns 400 for an existing id', async () => {
    expect(await fail('connections create -f connection.yaml')).toMatchObject({ code: 6 });
    const { data } = await home.json<object>('data-models get active-customers');
    expect(await call('POST', `${base}/data-models`, data)).toMatchObject({ code: 1, status: 400 });
  });

  it('returns 400 for an unknown reset type', async () => {
    expect(await fail('pipelines reset customers --type partial --confirm customers')).toMatchObject({ code: 2 });
    const body = { pipeline_id: 'customers', reset_type: 'partial' };
    expect(await call('POST', `${base}/inputs/data-pipelines/reset`, body)).toMatchObject({ code: 1, status: 400 });
  });

  it.each(['connections get x', 'data-models get x', 'pipelines get x', 'pipelines report x', 'pipelines runs x'])(
    'returns 404 for %s',
    async (line) => {
      expect(await fail(line)).toMatchObject({ code: 5, status: 404 });
    },
  );

  it.each(['pipelines trigger x', 'pipelines run customers 999999'])('returns 404 for %s', async (line) => {
    expect(await fail(line)).toMatchObject({ code: 5, status: 404 });
  });

  it('returns 404 for an unknown data plan', async () => {
    home.write('p2.yaml', PIPELINE.replace('id: customers', 'id: p2'));
    const line = 'pipelines create -f p2.yaml --data-plan-id nowhere --data-plan-version 1';
    expect(await fail(line)).toMatchObject({ code: 5, status: 404 });
  });

  it('returns 404 for a data plan without a version, and the client rejects it too', async () => {
    home.write('p2.yaml', PIPELINE.replace('id: customers', 'id: p2'));
    expect(await fail('pipelines create -f p2.yaml --data-plan-id live')).toMatchObject({ code: 9 });
    const { data } = await home.json<object>('pipelines get customers');
    const body = { ...data, id: 'p2', data_plan_id: 'live' };
    expect(await call('POST', `${base}/inputs/data-pipelines`, body)).toMatchObject({ code: 5, status: 404 });
  });

  it('returns 404 for a pipeline with an unknown connection', async () => {
    home.write('p2.yaml', PIPELINE.replace('id: customers', 'id: p2').replace('crm', 'nowhere'));
    expect(await fail('pipelines create -f p2.yaml')).toMatchObject({ code: 5, status: 404 });
  });

  it('returns 404 for a PATCH', async () => {
    expect(await call('PATCH', `${base}/connections/crm`, {})).toMatchObject({ code: 5, status: 404 });
  });
});

describe('warehouse sync with an invalid password', () => {
  const EXPLAINED = { code: 1, status: 505, message: expect.stringMatching(/connect to the warehouse account/) };
  const sent = async (): Promise<number> => (await home.writes()).length;

  it('returns 505 on create, which the client reports with a hint and does not retry', async () => {
    home.write('c2.yaml', CONNECTION.replace('id: crm', 'id: c2'));
    const before = await sent();
    expect(await fail('connections create -f c2.yaml', INVALID)).toMatchObject({
      ...EXPLAINED,
      hint: expect.stringMatching(/credentials|password|account/i),
    });
    expect(await sent()).toBe(before + 1);
  });

  it('returns 505 on update', async () => {
    expect(await fail('connections update crm -f connection.yaml', INVALID)).toMatchObject(EXPLAINED);
    expect(await fail('connections update crm --database other --password-from env:WAREHOUSE_PASSWORD')).toMatchObject(
      EXPLAINED,
    );
    expect((await home.run('connections update crm -f connection.yaml --yes', { env: VALID })).code).toBe(0);
  });
});

it("reports a data model's error in its status and in pipelines doctor", async () => {
  home.write('active-customers.sql', 'SELECT customer_id FROM crm.public.gone');
  expect((await home.run('data-models update active-customers -f model.yaml --yes')).code).toBe(0);
  expect((await home.run('pipelines trigger customers --yes --yes')).code).toBe(0);
  await home.platform.api.advance('1m');
  expect(await home.json('data-models get active-customers')).toMatchObject({
    data: { status: 'invalid', errors: [{ message: expect.stringMatching(/gone/) }] },
  });
  expect(await home.json('pipelines get customers')).toMatchObject({ data: { status: 'faulted' } });
  expect(await home.json('pipelines doctor customers')).toMatchObject({
    code: 1,
    data: { findings: [{ about: 'data model active-customers' }, {}, {}] },
  });
  home.write('active-customers.sql', SQL);
  expect((await home.run('data-models update active-customers -f model.yaml --yes')).code).toBe(0);
  expect(await home.json('pipelines get customers')).toMatchObject({ data: { status: 'idle' } });
});

describe('a groups command', () => {
  const groups = () => `/platform/workspaces/${home.platform.ready.workspace_id}/groups/`;

  it('exits with 4 on status 401 and 403', async () => {
    for (const status of [401, 403]) {
      await home.platform.api.addFault({ method: 'GET', path: '/platform/workspaces/*', status, times: 2 });
      expect(await fail('groups list')).toMatchObject({ code: 4, status });
      await home.platform.api.clearFaults();
    }
  });

  it('exits with 5 on status 404', async () => {
    expect(await fail('groups get nowhere')).toMatchObject({ code: 5, status: 404 });
  });

  it('exits with 1 on status 422 for a second definition and for an invalid body', async () => {
    home.write('office.yaml', 'id: office\nsource_user_attribute: h\nattributes: [{id: a, type: sum}]\n');
    expect(await fail('groups set -f office.yaml')).toMatchObject({ code: 1, status: 422 });
    const body = { id: 'x', source_user_attribute: 'h', attributes: [] };
    expect(await call('POST', groups(), body)).toMatchObject({ code: 1, status: 422 });
  });
});

describe('a warehouse command', () => {
  it.each([
    [401, 4],
    [403, 4],
    [429, 7],
    [500, 7],
    [503, 7],
  ])('reports status %i and exits with code %i', async (status, code) => {
    await home.platform.api.addFault({ method: 'GET', path: `${W}*`, status, times: 50 });
    expect(await fail('pipelines list --retries 1')).toMatchObject({ code, status });
    await home.platform.api.clearFaults();
  });
});
