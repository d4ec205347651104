// A workspace as a folder: export, diff, apply; a failed step, a changed password, two applies at once.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CliOptions } from '../../../helpers/cli.ts';
import { opened } from '../../../helpers/opened.ts';
import { openPlatformHome, type PlatformHome } from '../../../helpers/platform-home.ts';
import { CONNECTION, MODEL, PIPELINE, SECRET_ENV, SQL, stageSync } from '../../../helpers/warehouse-files.ts';

interface Plan {
  plan: string;
  applied?: boolean;
  steps: { action: string; type: string; id: string; changes: Record<string, unknown>; secrets: string[] }[];
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

describe('apply', () => {
  it('creates ten resources in the order of their dependencies, and changes nothing the second time', async () => {
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

  it('reports the completed steps when one fails, and applies only the rest the second time', async () => {
    home.write(
      'sync/data-models/model-3.yaml',
      MODEL.replace('id: active-customers', 'id: model-3').replace(
        'sql_file: active-customers.sql',
        'sql_query: SELEC nonsense',
      ),
    );
    const broken = await home.run('warehouse apply sync --yes', { env: SECRET_ENV });
    expect(broken).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /Step 6 of 10 \(create data model model-3\) failed.*Completed before it: create connection crm/s,
      ),
    });
    home.write('sync/data-models/model-3.yaml', MODEL.replace('id: active-customers', 'id: model-3'));
    const { code, data } = await apply();
    expect({ code, steps: data.steps.length }).toEqual({ code: 0, steps: 5 });
    expect((await apply()).data.steps).toEqual([]);
  });

  it('detects a changed password that it sent before, and resends all secrets with --send-secrets', async () => {
    await apply();
    const env = { WAREHOUSE_PASSWORD: 'another one' };
    expect((await apply('', { env })).data).toMatchObject({
      steps: [{ type: 'connection', changes: {}, secrets: ['config.password'] }],
    });
    expect((await apply('', { env })).data.steps).toEqual([]);
    expect((await apply(' --send-secrets', { env })).data.steps).toHaveLength(1);
  });

  it('deletes resources without a file only with --allow-delete, pipelines first', async () => {
    await apply();
    rmSync(join(home.cwd, 'sync/pipelines/customers.yaml'));
    rmSync(join(home.cwd, 'sync/connections/crm.yaml'));
    const before = await written();
    expect(await apply()).toMatchObject({
      code: 12,
      stderr: expect.stringMatching(/2 to be deleted: pipeline customers, connection crm/),
    });
    expect(await apply(' --dry-run')).toMatchObject({ code: 12 });
    expect(await written()).toBe(before);
    const { data } = await apply(' --allow-delete');
    expect(short(data)).toEqual(['delete pipeline customers', 'delete connection crm']);
  });

  it('requires --force for many deletions and --allow-empty to delete everything', async () => {
    await apply();
    mkdirSync(join(home.cwd, 'empty'));
    const result = await home.run('warehouse apply empty --allow-delete --yes', { env: SECRET_ENV });
    expect(result).toMatchObject({ code: 12, stderr: expect.stringMatching(/--allow-empty --force/) });
  });

  it('applies only the plan that --expect-plan names', async () => {
    const { plan } = (await json('warehouse diff sync')).data;
    home.write('sync/connections/crm.yaml', CONNECTION.replace('role: sync', 'role: other'));
    expect(await apply(` --expect-plan ${plan}`)).toMatchObject({ code: 6 });
    home.write('sync/connections/crm.yaml', CONNECTION);
    expect(await apply(` --expect-plan ${plan}`)).toMatchObject({ code: 0 });
  });

  it('resets a sync position only with --allow-reset', async () => {
    await apply();
    home.write('sync/pipelines/customers.yaml', PIPELINE.replace('2024-01', '2025-01'));
    expect(await apply()).toMatchObject({ code: 12, stderr: expect.stringMatching(/--allow-reset/) });
    expect(await apply(' --allow-reset')).toMatchObject({ code: 0 });
  });

  it('loses no step when two processes apply at once', async () => {
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

describe('a mask instead of a secret', () => {
  const masked = CONNECTION.replace('env:WAREHOUSE_PASSWORD', '"********"');

  it('counts as unchanged, so nothing is sent', async () => {
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

it('reports an unset variable before the first step', async () => {
  const before = await written();
  expect(await home.run('warehouse apply sync --yes', { env: { WAREHOUSE_PASSWORD: '' } })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('WAREHOUSE_PASSWORD, which is not set'),
  });
  expect(await written()).toBe(before);
});

it('reports the issues of all files at once and sends nothing', async () => {
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

describe('export', () => {
  it('writes files that equal the platform, with SQL in separate files and references for secrets', async () => {
    await apply();
    expect(await json('warehouse export out')).toMatchObject({ code: 0 });
    expect(home.read('out/connections/crm.yaml')).toContain('password: env:WAREHOUSE_CRM_PASSWORD');
    expect(home.read('out/data-models/active-customers.sql')).toBe(SQL);
    expect((await json('warehouse diff out')).data.steps).toEqual([]);
    const first = home.read('out/pipelines/customers.yaml');
    await json('warehouse export out');
    expect(home.read('out/pipelines/customers.yaml')).toBe(first);
  });

  it('keeps comments and references, and overwrites only with --overwrite', async () => {
    await apply();
    home.write('other.yaml', CONNECTION.replace('role: sync', 'role: loader'));
    await json('connections update crm -f other.yaml');
    expect(await json('warehouse export sync')).toMatchObject({ code: 6 });
    expect(home.read('sync/connections/crm.yaml')).toBe(CONNECTION);
    expect(await json('warehouse export sync --overwrite')).toMatchObject({ code: 0 });
    expect(home.read('sync/connections/crm.yaml')).toBe(CONNECTION.replace('role: sync', 'role: loader'));
    expect((await json('warehouse diff sync')).data.steps).toEqual([]);
  });

  it('creates and names the folders for an empty workspace', async () => {
    const { code, stderr } = await home.run('warehouse export empty');
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Put your own files into connec/),
    });
    expect(readdirSync(join(home.cwd, 'empty')).toSorted()).toEqual(['connections', 'data-models', 'pipelines']);
    expect((await json('warehouse diff empty')).data.steps).toEqual([]);
  });

  it('writes nothing in a dry run', async () => {
    await apply();
    await json('warehouse export nowhere --dry-run');
    expect(existsSync(join(home.cwd, 'nowhere'))).toBe(false);
  });
});
