// Saved plans for a folder are readable, contain no secrets, and can be applied without the folder unless something has
// changed.
import { hash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPlatformHome, type PlatformHome } from '../../helpers/platform-home.ts';
import { CONNECTION, PIPELINE, SECRET_ENV, stageSync, writeAll } from '../../helpers/warehouse-files.ts';

let home: PlatformHome;
beforeEach(async () => {
  home = await openPlatformHome();
  stageSync(home.cwd, 4);
});
afterEach(() => home.close());

const run = (line: string) => home.run(`${line} --yes`, { env: SECRET_ENV });
const save = async (flags = ''): Promise<string> => {
  expect(await run(`warehouse diff sync --save-plan plan.txt${flags}`)).toMatchObject({ code: 0 });
  return home.read('plan.txt');
};
const outcomes = async (line: string) => {
  const { code, data } = await home.json<{ steps: { id: string; outcome: string }[] }>(`${line} --yes`, {
    env: SECRET_ENV,
  });
  return { code, steps: data.steps.map(({ id, outcome }) => `${id} ${outcome}`) };
};
const nothingSent = async (line: string, code: number, message: string | RegExp): Promise<void> => {
  const before = await home.writes();
  expect(await run(line)).toMatchObject({ code, stderr: expect.stringMatching(message) as unknown });
  expect(await home.writes()).toEqual(before);
};

it('writes a saved plan with a readable diff, and with references instead of secrets', async () => {
  const text = await save();
  expect(text).toContain('# + create connection crm  PROVIDER_A, active  (config.password ← env:WAREHOUSE_PASSWORD)\n');
  expect(text).not.toContain(SECRET_ENV.WAREHOUSE_PASSWORD);
});

it('applies a saved plan only once, and without the folder', async () => {
  await save();
  rmSync(join(home.cwd, 'sync'), { recursive: true });
  expect(await outcomes('warehouse apply --plan plan.txt')).toEqual({
    code: 0,
    steps: ['crm done', 'active-customers done', 'model-0 done', 'customers done'],
  });
  await nothingSent('warehouse apply --plan plan.txt', 6, /The plan is now/);
});

it.each([['sync/pipelines/customers.yaml'], ['sync/data-models/new.yaml'], ['-']])(
  'does not write a saved plan to %s',
  async (path) => {
    const before = home.read('sync/pipelines/customers.yaml');
    const { code, stderr } = await home.run(`warehouse diff sync --save-plan ${path}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--save-plan')]);
    expect(home.read('sync/pipelines/customers.yaml')).toBe(before);
  },
);

it('rejects a saved plan after a partial apply', async () => {
  await save();
  await home.platform.api.addFault({ method: 'POST', path: '/platform/v2/*/data-models', status: 422, times: 1 });
  const partial = await run('warehouse apply --plan plan.txt');
  expect(partial).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cdpadm warehouse diff sync --save-plan new.plan') as unknown,
  });
  expect(partial.stderr).not.toContain('apply again');
  await nothingSent('warehouse apply --plan plan.txt', 6, /warehouse diff sync --save-plan new\.plan/);
});

it('prints the command that saves a rejected plan again, or the command for the other kind of plan', async () => {
  writeAll(home.cwd, { 'more/data-models/m.json': '{"id":"active-customers","name":"Clients"}' });
  await save(' --overlay more --only active-customers');
  await run('data-models create -f sync/data-models/active-customers.yaml');
  const again = /cdpadm warehouse diff sync --overlay more --only active-customers --save-plan new\.plan/;
  await nothingSent('warehouse apply --plan plan.txt', 6, again);
  await run('roles pull mine.yaml');
  await run('roles diff mine.yaml --save-plan roles.plan');
  await nothingSent('warehouse apply --plan roles.plan', 9, /not a plan of `warehouse diff`/);
  await nothingSent('roles push --plan plan.txt', 9, /not a plan of `roles diff`/);
  await run('roles update user-role --name Reader');
  await nothingSent('roles push --plan roles.plan', 6, /cdpadm roles diff mine\.yaml --save-plan new\.plan/);
});

it('applies the --prune, --only and --overlay flags that a plan was saved with', async () => {
  await run('warehouse apply sync');
  rmSync(join(home.cwd, 'sync/pipelines/customers.yaml'));
  rmSync(join(home.cwd, 'sync/data-models/model-0.yaml'));
  writeAll(home.cwd, { 'more/data-models/m.json': '{"id":"active-customers","name":"Clients"}' });
  await save(' --prune --only customers --only *s --overlay more');
  await nothingSent('warehouse apply --plan plan.txt', 12, /1 resource would be deleted: pipeline customers/);
  expect(await outcomes('warehouse apply --plan plan.txt --allow-delete --force')).toEqual({
    code: 0,
    steps: ['active-customers done', 'customers done'],
  });
});

it('rejects a saved plan if the platform, the target or the folder has changed', async () => {
  await save();
  await nothingSent('warehouse apply --plan plan.txt --workspace 3002', 6, /The plan is for workspace/);
  home.write('sync/pipelines/customers.yaml', PIPELINE.replace('name: Customers', 'name: Clients'));
  await nothingSent('warehouse apply sync --plan plan.txt', 6, /The plan is now/);
  await run('connections create -f sync/connections/crm.yaml --name Other');
  await nothingSent('warehouse apply --plan plan.txt', 6, /The plan is now/);
});

it('checks a saved plan for edits, then for `access: read`, and only then for a changed target', async () => {
  home.write('edited.txt', (await save()).replace('"role":"sync"', '"role":"admin"'));
  home.write('.cdpadm.yaml', 'access: read\n');
  await nothingSent('warehouse apply --plan plan.txt --workspace 3002', 12, /read/);
  await nothingSent('warehouse apply --plan edited.txt', 9, /edited\.txt/);
});

it('rejects a saved plan that was edited, or that is passed with flags that would change the plan', async () => {
  home.write('edited.txt', (await save()).replace('"role":"sync"', '"role":"admin"'));
  await nothingSent('warehouse apply --plan edited.txt', 9, /edited\.txt/);
  await nothingSent('warehouse apply --plan plan.txt --prune', 2, /--prune/);
  await nothingSent('warehouse apply', 2, /No definitions folder or plan is specified/);
});

it('does not read a file outside the working directory, even if a forged plan contains a path through a folder', async () => {
  home.write('sync/connections/crm.yaml', CONNECTION.replace('env:WAREHOUSE_PASSWORD', 'file:password.txt'));
  home.write('sync/connections/password.txt', 'kept-in-a-file');
  const forged = (await save())
    .replace('"config.password":"sync/connections"', '"config.password":"sync/../.."')
    .replace(/# sha256 .*\n$/, '');
  home.write('forged.txt', `${forged}# sha256 ${hash('sha256', forged)}\n`);
  writeFileSync(join(home.cwd, '..', 'password.txt'), 'kept-elsewhere');
  await nothingSent('warehouse apply --plan forged.txt', 12, /outside the working directory/);
});

it('saves a plan with a file reference only if the file is under the working directory', async () => {
  home.write('sync/connections/crm.yaml', CONNECTION.replace('env:WAREHOUSE_PASSWORD', 'file:password.txt'));
  home.write('sync/connections/password.txt', 'kept-in-a-file');
  expect(await save()).not.toContain('kept-in-a-file');
  expect((await outcomes('warehouse apply --plan plan.txt')).code).toBe(0);
  mkdirSync(join(home.cwd, 'below'));
  const below = await home.run('warehouse diff ../sync --save-plan plan.txt', { cwd: join(home.cwd, 'below') });
  expect(below).toMatchObject({ code: 12, stderr: expect.stringMatching(/outside the working directory/) as unknown });
});
