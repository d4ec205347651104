// A workspace as a folder: export, diff, apply, a failed step, a changed password, and concurrent applies.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CliOptions } from '../../helpers/cli.ts';
import { createFastClock } from '../../helpers/fast-clock.ts';
import { opened } from '../../helpers/opened.ts';
import { openPlatformHome, type PlatformHome } from '../../helpers/platform-home.ts';
import { CONNECTION, MODEL, PIPELINE, SECRET_ENV, SQL, stageSync, writeAll } from '../../helpers/warehouse-files.ts';

interface Plan {
  plan: string;
  applied?: boolean;
  steps: { action: string; type: string; id: string; changes: Record<string, unknown>; secrets: string[] }[];
}

interface Applied {
  applied: boolean;
  steps: { id: string; outcome: string; reason: string | null }[];
}

let home: PlatformHome;
beforeEach(async () => {
  home = await openPlatformHome();
  stageSync(home.cwd, 10);
});
afterEach(() => home.close());

const json = <T = Plan>(line: string, options: CliOptions = {}) =>
  home.json<T>(`${line} --yes`, { env: SECRET_ENV, ...options });
const apply = (flags = '', options: CliOptions = {}) => json(`warehouse apply sync${flags}`, options);
const short = (plan: Plan): string[] => plan.steps.map(({ action, type, id }) => `${action} ${type} ${id}`);
const written = async (): Promise<number> => (await home.writes()).length;

describe('warehouse apply', () => {
  it('creates ten resources in dependency order, and changes nothing on the second run', async () => {
    const { code, data } = await apply();
    expect({ code, applied: data.applied }).toEqual({ code: 0, applied: true });
    expect([short(data)[0], short(data).at(-1), data.steps.length]).toEqual([
      'create connection crm',
      'create pipeline customers',
      10,
    ]);
    const before = await written();
    expect((await apply()).data).toMatchObject({ applied: false, steps: [] });
    expect((await json('warehouse diff sync --exit-code')).code).toBe(0);
    expect(await written()).toBe(before);
  });

  it('skips only the steps that depend on a failed step, lists each outcome, and applies the rest in the next run', async () => {
    const broken = MODEL.replace('sql_file: active-customers.sql', 'sql_query: SELEC nonsense');
    home.write('sync/data-models/active-customers.yaml', broken);
    const { code, data, stderr } = await home.json<Applied>('warehouse apply sync --yes', { env: SECRET_ENV });
    expect(code).toBe(1);
    expect(data.applied).toBe(false);
    const open = data.steps.filter(({ outcome }) => outcome !== 'done');
    expect(open).toMatchObject([
      { id: 'active-customers', outcome: 'failed', reason: expect.stringMatching(/SQL|SELECT/i) as unknown },
      { id: 'customers', outcome: 'skipped', reason: 'it needs: create data model active-customers' },
    ]);
    expect(data.steps).toHaveLength(10);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'warehouse.incomplete', message: '2 of 10 steps were not completed.' },
    });
    home.write('sync/data-models/active-customers.yaml', MODEL);
    expect(short((await apply()).data)).toEqual(['create data_model active-customers', 'create pipeline customers']);
    expect((await apply()).data.steps).toEqual([]);
  });

  it('exits with 8 and skips the steps that depend on a step with an unknown outcome', async () => {
    await home.platform.api.addFault({ method: 'POST', path: '/platform/v2/*/connections', drop: 'after', times: 9 });
    await home.platform.api.addFault({ method: 'GET', path: '/platform/v2/*/connections/crm', status: 500, times: 99 });
    const { code, data } = await home.json<Applied>('warehouse apply sync --yes --retries 0', {
      env: SECRET_ENV,
      clock: createFastClock(100),
    });
    expect(code).toBe(8);
    expect(data.steps.map(({ outcome }) => outcome)).toEqual(['unknown', ...Array<string>(8).fill('done'), 'skipped']);
  });

  it('detects that a password has changed since it was sent, and resends all secrets if --send-secrets is set', async () => {
    await apply();
    const env = { WAREHOUSE_PASSWORD: 'another one' };
    expect((await apply('', { env })).data).toMatchObject({
      steps: [{ type: 'connection', changes: {}, secrets: ['config.password'] }],
    });
    expect((await apply('', { env })).data.steps).toEqual([]);
    expect((await apply(' --send-secrets', { env })).data.steps).toHaveLength(1);
  });

  it('lists resources that have no file, but does not change them', async () => {
    await apply();
    rmSync(join(home.cwd, 'sync/pipelines/customers.yaml'));
    rmSync(join(home.cwd, 'sync/connections/crm.yaml'));
    const before = await written();
    expect((await json('warehouse diff sync --exit-code')).data).toMatchObject({
      steps: [],
      unmanaged: ['connection/crm', 'pipeline/customers'],
    });
    expect((await home.run('warehouse diff sync')).stdout).toContain(
      'Unmanaged, not changed: connection/crm, pipeline/customers\n',
    );
    expect(await apply(' --allow-delete')).toMatchObject({ code: 0, data: { applied: false } });
    expect(await written()).toBe(before);
  });

  it('deletes resources that have no file if --prune and --allow-delete are set, pipelines first', async () => {
    await apply();
    rmSync(join(home.cwd, 'sync/pipelines/customers.yaml'));
    rmSync(join(home.cwd, 'sync/connections/crm.yaml'));
    const before = await written();
    expect(await apply(' --prune')).toMatchObject({
      code: 12,
      stderr: expect.stringMatching(/2 resources would be deleted: pipeline customers, connection crm/),
    });
    expect(await apply(' --prune --dry-run')).toMatchObject({ code: 12 });
    expect(await json('warehouse diff sync --prune --exit-code')).toMatchObject({ code: 10 });
    expect(await written()).toBe(before);
    const { data } = await apply(' --prune --allow-delete');
    expect(short(data)).toEqual(['delete pipeline customers', 'delete connection crm']);
  });

  it('requires --force for many deletions and --allow-empty to delete everything', async () => {
    await apply();
    mkdirSync(join(home.cwd, 'empty'));
    const result = await home.run('warehouse apply empty --prune --allow-delete --yes', { env: SECRET_ENV });
    expect(result).toMatchObject({ code: 12, stderr: expect.stringMatching(/--allow-empty --force/) });
  });

  it('accepts a pipeline whose connection has no file, unless the connection does not exist or would be deleted', async () => {
    await apply();
    rmSync(join(home.cwd, 'sync/connections/crm.yaml'));
    home.write('sync/pipelines/customers.yaml', PIPELINE.replace('name: Customers', 'name: Clients'));
    expect(await apply(' --prune --allow-delete')).toMatchObject({
      code: 9,
      stderr: expect.stringMatching(/--prune would delete the connection `crm`/),
    });
    expect(short((await apply()).data)).toEqual(['update pipeline customers']);
    home.write('sync/pipelines/customers.yaml', PIPELINE.replace('connection_id: crm', 'connection_id: nowhere'));
    expect(await apply()).toMatchObject({ code: 9, stderr: expect.stringMatching(/"line":4.*nor in the workspace/) });
  });

  it('applies only the plan that --expect-plan names', async () => {
    const { plan } = (await json('warehouse diff sync')).data;
    home.write('sync/connections/crm.yaml', CONNECTION.replace('role: sync', 'role: other'));
    expect(await apply(` --expect-plan ${plan}`)).toMatchObject({ code: 6 });
    home.write('sync/connections/crm.yaml', CONNECTION);
    expect(await apply(` --expect-plan ${plan}`)).toMatchObject({ code: 0 });
  });

  it('resets a sync position only if --allow-reset is set', async () => {
    await apply();
    home.write('sync/pipelines/customers.yaml', PIPELINE.replace('2024-01', '2025-01'));
    expect(await apply()).toMatchObject({ code: 12, stderr: expect.stringMatching(/--allow-reset/) });
    expect(await apply(' --allow-reset')).toMatchObject({ code: 0 });
  });

  it('succeeds in at least one of two concurrent processes, and a third apply completes the rest', async () => {
    const other = await opened(openPlatformHome({}, home.platform));
    const results = await Promise.all([
      apply(),
      home.run('warehouse apply sync --yes', { env: { ...SECRET_ENV, CDPADM_STATE_DIR: join(other.folder, 'state') } }),
    ]);
    expect(results.some(({ code }) => code === 0)).toBe(true);
    expect((await apply()).code).toBe(0);
    expect((await apply()).data.steps).toEqual([]);
  });
});

describe('--only', () => {
  it.each(["'connections/*'", 'connection/crm', 'crm'])(
    'limits the plan to resources that match %s',
    async (pattern) => {
      const { data } = await json(`warehouse diff sync --only ${pattern.replaceAll("'", '')}`);
      expect(short(data)).toEqual(['create connection crm']);
    },
  );

  it('accepts several patterns, and rejects a pattern that matches nothing', async () => {
    const { data } = await apply(' --only crm --only model-*');
    expect(data.steps).toHaveLength(8);
    expect(await apply(' --only crn')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--only crn matches no/),
    });
  });

  it('rejects a pipeline whose connection does not match the pattern and does not exist', async () => {
    expect(await apply(' --only customers')).toMatchObject({
      code: 9,
      stderr: expect.stringMatching(/the connection `crm` is neither in a selected file nor in the workspace/),
    });
    await apply();
    home.write('sync/pipelines/customers.yaml', PIPELINE.replace('name: Customers', 'name: Clients'));
    home.write('sync/connections/crm.yaml', CONNECTION.replace('role: sync', 'role: other'));
    expect(short((await apply(' --only customers')).data)).toEqual(['update pipeline customers']);
  });

  it('prunes only resources that match the pattern and that no pipeline uses', async () => {
    await apply();
    mkdirSync(join(home.cwd, 'empty'));
    const { data } = await json('warehouse diff empty --prune --only pipelines/*');
    expect(short(data)).toEqual(['delete pipeline customers']);
    expect(await json('warehouse diff empty --prune --only crm')).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/delete the connection crm, which the pipeline customers uses/),
    });
  });
});

describe('a folder without the definition folders', () => {
  it.each([
    ['sync/pipelines', ''],
    ['sync --overlay sync/pipelines', ''],
    ['sync --overlay none', 'none'],
  ])('is rejected by `warehouse diff %s`', async (words, empty) => {
    if (empty !== '') mkdirSync(join(home.cwd, empty));
    expect(await home.run(`warehouse diff ${words} --exit-code`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('contains none of the folders connections, data-models, pipelines.'),
    });
  });
});

describe('--overlay', () => {
  beforeEach(() => mkdirSync(join(home.cwd, 'production'), { recursive: true }));

  it('merges its files over those for the same resources in the folder, and resolves paths relative to each file', async () => {
    home.write('sync/connections/crm.yaml', CONNECTION.replace('env:WAREHOUSE_PASSWORD', 'file:password.txt'));
    home.write('sync/connections/password.txt', 'password-of-the-folder');
    writeAll(home.cwd, {
      'production/connections/any-name.yaml': 'id: crm\nconfig:\n  role: producer\n  password: file:secret.txt\n',
      'production/connections/secret.txt': 'password-of-the-overlay',
      'production/data-models/active-customers.json': '{"id":"active-customers","config":{"sql_file":"other.sql"}}',
      'production/data-models/other.sql': 'SELECT customer_id FROM crm.public.customers',
      'production/pipelines/customers.yaml':
        'id: customers\nsync_mode: {iterator_data_type: null, iterator_field: null, from: null, type: full}\n',
    });
    expect(await apply(' --overlay production')).toMatchObject({ code: 0, data: { steps: { length: 10 } } });
    expect((await json('connections get crm')).data).toMatchObject({
      name: 'CRM warehouse',
      config: { role: 'producer' },
    });
    expect((await json('data-models get active-customers')).data).toMatchObject({
      config: { sql_query: 'SELECT customer_id FROM crm.public.customers' },
    });
    expect((await json('pipelines get customers')).data).toMatchObject({
      name: 'Customers',
      sync_mode: { type: 'full' },
    });
    expect((await apply(' --overlay production')).data.steps).toEqual([]);
    expect((await json('warehouse diff sync')).data.steps).toHaveLength(3);
  });

  it('names the file that contains the invalid field', async () => {
    writeAll(home.cwd, { 'production/pipelines/customers.yaml': 'id: customers\nstate: on\n' });
    expect(await home.run('warehouse diff sync --overlay production')).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('production/pipelines/customers.yaml:2:8: state'),
    });
  });
});

it('prints one line for a new resource, or all its fields if -v is set', async () => {
  const { stdout } = await home.run('warehouse diff sync', { env: SECRET_ENV });
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    '+ create connection crm  PROVIDER_A, active  (config.password ← env:WAREHOUSE_PASSWORD)',
    '+ create data model active-customers  active',
    '+ create data model model-0  active',
  ]);
  expect(stdout).toContain('\n+ create pipeline customers  production, active, crm → active-customers\n');
  expect((await home.run('warehouse diff sync -v', { env: SECRET_ENV })).stdout).toContain(
    '    + config.role: "sync"\n',
  );
});

describe('a mask in place of a secret', () => {
  const masked = CONNECTION.replace('env:WAREHOUSE_PASSWORD', '"********"');

  it('counts as no change, so nothing is sent', async () => {
    await apply();
    home.write('sync/connections/crm.yaml', masked);
    const before = await written();
    expect(await json('warehouse diff sync --exit-code')).toMatchObject({ code: 0, data: { steps: [] } });
    expect(await apply(' --send-secrets')).toMatchObject({ code: 0, data: { applied: false, steps: [] } });
    expect(await json('warehouse export sync')).toMatchObject({ code: 0 });
    expect(home.read('sync/connections/crm.yaml')).toBe(masked);
    expect(await written()).toBe(before);
  });

  it.each(['diff sync', 'apply sync', 'apply sync --dry-run'])(
    'is rejected with line and column if the secret has to be sent: %s',
    async (line) => {
      await apply();
      home.write('sync/connections/crm.yaml', masked.replace('role: sync', 'role: loader'));
      const before = await written();
      expect(await json(`warehouse ${line}`)).toMatchObject({
        code: 9,
        stderr: expect.stringContaining('"path":"config.password","line":12,"column":13'),
      });
      expect(await written()).toBe(before);
    },
  );
});

it('reports an unset variable before the first step of an apply', async () => {
  const before = await written();
  expect(await home.run('warehouse apply sync --yes', { env: { WAREHOUSE_PASSWORD: '' } })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('WAREHOUSE_PASSWORD, which is not set'),
  });
  expect(await written()).toBe(before);
});

it('reports the issues of all files in one error and sends nothing', async () => {
  home.write('sync/connections/crm.yaml', CONNECTION.replace('env:WAREHOUSE_PASSWORD', '"***"'));
  home.write('sync/pipelines/customers.yaml', PIPELINE.replace('state: active', 'state: on'));
  home.write('sync/data-models/model-1.yaml', MODEL);
  const { code, stderr } = await home.run('warehouse apply sync --yes', { env: SECRET_ENV });
  expect(code).toBe(9);
  for (const place of ['crm.yaml:12:13: config.password', 'customers.yaml:6:8: state', 'model-1.yaml:1:5: id']) {
    expect(stderr).toContain(place);
  }
  expect(await written()).toBe(0);
});

describe('warehouse export', () => {
  it('reports a folder name that is too long', async () => {
    const { code, stderr } = await home.run(`warehouse export ${'x'.repeat(300)}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining('the name is too long')]);
  });

  it('writes files that match the platform, with SQL in separate files and references for secrets', async () => {
    await apply();
    expect(await json('warehouse export out')).toMatchObject({ code: 0 });
    expect(home.read('out/connections/crm.yaml')).toContain('password: env:WAREHOUSE_CRM_PASSWORD');
    expect(home.read('out/data-models/active-customers.sql')).toBe(SQL);
    expect((await json('warehouse diff out')).data.steps).toEqual([]);
    const first = home.read('out/pipelines/customers.yaml');
    await json('warehouse export out');
    expect(home.read('out/pipelines/customers.yaml')).toBe(first);
  });

  it('keeps comments and references, and overwrites files only if --overwrite is set', async () => {
    await apply();
    home.write('other.yaml', CONNECTION.replace('role: sync', 'role: loader'));
    await json('connections update crm -f other.yaml');
    expect(await json('warehouse export sync')).toMatchObject({ code: 6 });
    expect(home.read('sync/connections/crm.yaml')).toBe(CONNECTION);
    expect(await json('warehouse export sync --overwrite')).toMatchObject({ code: 0 });
    expect(home.read('sync/connections/crm.yaml')).toBe(CONNECTION.replace('role: sync', 'role: loader'));
    expect((await json('warehouse diff sync')).data.steps).toEqual([]);
  });

  it('keeps the byte order mark and the line breaks of an updated file', async () => {
    await apply();
    const windows = `\ufeff${CONNECTION.replaceAll('\n', '\r\n')}`;
    home.write('sync/connections/crm.yaml', windows);
    home.write('other.yaml', CONNECTION.replace('role: sync', 'role: loader'));
    await json('connections update crm -f other.yaml');
    expect(await json('warehouse export sync --overwrite')).toMatchObject({ code: 0 });
    expect(home.read('sync/connections/crm.yaml')).toBe(windows.replace('role: sync', 'role: loader'));
  });

  it.each([
    ['definition', 'connections/crm.yaml', CONNECTION.replace('id: crm', 'id: crm-new')],
    ['query', 'data-models/active-customers.sql', 'select mine from a.b.c'],
  ])("never overwrites a user's own file: %s", async (_what, path, mine) => {
    await apply();
    mkdirSync(dirname(join(home.cwd, 'out', path)), { recursive: true });
    home.write(`out/${path}`, mine);
    for (const flag of ['', ' --overwrite']) {
      const { code, stderr } = await home.run(`warehouse export out${flag}`, { env: SECRET_ENV });
      expect({ code, stderr }).toMatchObject({ code: 6, stderr: expect.stringContaining(`out/${path}`) as string });
      expect(home.read(`out/${path}`)).toBe(mine);
    }
    expect(existsSync(join(home.cwd, 'out/pipelines'))).toBe(false);
  });

  it('updates one of two data models that share a SQL file, and leaves the other unchanged', async () => {
    await apply();
    await json('warehouse export out');
    const model = home.read('out/data-models/active-customers.yaml');
    home.write('out/data-models/twin.yaml', model.replace('id: active-customers', 'id: twin'));
    await json('warehouse apply out --yes');
    home.write('other.sql', 'select customer_id from crm.public.orders');
    expect(await json('data-models update twin --sql-file other.sql')).toMatchObject({ code: 0 });
    expect(await json('warehouse export out --overwrite')).toMatchObject({ code: 0 });
    expect(home.read('out/data-models/active-customers.sql')).toBe(SQL);
    expect((await json('warehouse diff out')).data.steps).toEqual([]);
  });

  it('writes a changed query into the definition if the SQL file is outside the folder', async () => {
    await apply();
    await json('warehouse export out');
    const model = home.read('out/data-models/active-customers.yaml');
    home.write('out/data-models/active-customers.yaml', model.replace('active-customers.sql', '../../common.sql'));
    home.write('common.sql', SQL);
    home.write('other.sql', 'select customer_id from crm.public.orders');
    expect(await json('data-models update active-customers --sql-file other.sql')).toMatchObject({ code: 0 });
    expect(await json('warehouse export out --overwrite')).toMatchObject({ code: 0 });
    expect(home.read('common.sql')).toBe(SQL);
    expect((await json('warehouse diff out')).data.steps).toEqual([]);
  });

  it('creates empty folders for an empty workspace, and prints their names', async () => {
    const { code, stderr } = await home.run('warehouse export empty');
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Put your own files in connec/),
    });
    expect(readdirSync(join(home.cwd, 'empty')).toSorted()).toEqual(['connections', 'data-models', 'pipelines']);
    expect((await json('warehouse diff empty')).data.steps).toEqual([]);
  });

  it('writes nothing in a dry run', async () => {
    await apply();
    const { data } = await json('warehouse export nowhere --dry-run');
    const plan = expect.arrayContaining([expect.objectContaining({ action: 'written' })]) as unknown;
    expect(data).toEqual({ dry_run: true, requests: [], plan });
    expect(existsSync(join(home.cwd, 'nowhere'))).toBe(false);
  });
});
