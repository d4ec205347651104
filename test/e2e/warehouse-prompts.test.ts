// On a terminal, warehouse commands prompt for a masked secret and never display it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import { type CliHome, createCliHome } from '../helpers/cli.ts';
import { openPlatformHome, type PlatformHome } from '../helpers/platform-home.ts';
import { KEY, openTerminal, type Terminal } from '../helpers/pty.ts';
import { makeWarehouse } from '../helpers/warehouse.ts';
import { CONNECTION } from '../helpers/warehouse-files.ts';

const RIGHT = 'correct horse battery';

let home: PlatformHome;
let elsewhere: CliHome;
let stateful: Record<string, string>;
beforeEach(async () => {
  elsewhere = createCliHome();
  const file = await makeWarehouse(elsewhere.folder, 'CREATE TABLE people (customer_id TEXT)');
  home = await openPlatformHome({
    fixtures: {
      warehouses: [
        { service_provider: 'PROVIDER_A', match: { database: 'crm' }, credentials: { password: RIGHT }, file },
      ],
    },
  });
  home.write('connection.yaml', CONNECTION);
  expect(await home.run('connections create -f connection.yaml --yes', env(RIGHT))).toMatchObject({ code: 0 });
  stateful = { HOME: home.folder, ...environmentOf(home.platform.ready) };
  for (const kind of ['config', 'state', 'cache', 'data']) {
    stateful[`CDPADM_${kind.toUpperCase()}_DIR`] = join(home.folder, kind);
  }
});
afterEach(async () => {
  await home.close();
  elsewhere.remove();
});

const env = (password: string) => ({ env: { WAREHOUSE_PASSWORD: password } });

function terminal(args: string[], more: Record<string, string> = {}): Terminal {
  return openTerminal(args, { cwd: home.cwd, env: { ...stateful, ...more } });
}

test('prompts for the masked secret of an edited resource', async () => {
  const { stdout } = await home.run('connections get crm -o yaml');
  expect(stdout).toMatch(/password: .?\*+/);
  writeFileSync(join(home.cwd, 'edited.yaml'), stdout.replace('role: sync', 'role: loader'));
  const screen = terminal(['connections', 'update', 'crm', '-f', 'edited.yaml']);
  await screen.waitFor('password of connection crm');
  screen.type(`********${KEY.enter}`);
  await screen.waitFor('mask');
  screen.type(`${KEY.clearLine}${RIGHT}${KEY.enter}`);
  await screen.waitFor('(y/N)');
  screen.type(`y${KEY.enter}`);
  expect(await screen.exit).toBe(0);
  expect(screen.raw()).not.toContain(RIGHT);
  expect(await home.json('connections get crm')).toMatchObject({
    data: { status: 'healthy', config: { role: 'loader' } },
  });
});

test('accepts a reference instead of the secret', async () => {
  const screen = terminal(['connections', 'update', 'crm', '--role', 'loader'], { ELSEWHERE: RIGHT });
  await screen.waitFor('password of connection crm');
  screen.type(`env:ELSEWHERE${KEY.enter}`);
  await screen.waitFor('(y/N)');
  screen.type(`y${KEY.enter}`);
  expect(await screen.exit).toBe(0);
});

test('prompts for each masked secret when a folder is applied', async () => {
  mkdirSync(join(home.cwd, 'sync/connections'), { recursive: true });
  home.write(
    'sync/connections/crm.yaml',
    CONNECTION.replace(/password:.*/, "password: '••••'").replace('sync', 'loader'),
  );
  const screen = terminal(['warehouse', 'apply', 'sync']);
  await screen.waitFor('password of connection crm');
  screen.type(`${RIGHT}${KEY.enter}`);
  await screen.waitFor('(y/N)');
  screen.type(`y${KEY.enter}`);
  expect(await screen.exit).toBe(0);
  expect(screen.raw()).not.toContain(RIGHT);
  expect(await home.json('connections get crm')).toMatchObject({ data: { status: 'healthy' } });
  // The typed secret is remembered, so a different one counts as a change.
  home.write('sync/connections/crm.yaml', CONNECTION.replace('sync', 'loader'));
  expect(await home.json('warehouse diff sync', env(RIGHT))).toMatchObject({ data: { steps: [] } });
  expect(await home.json('warehouse diff sync', env('another'))).toMatchObject({ data: { summary: { update: 1 } } });
});

test('prints the number of deletions in the confirmation prompt', async () => {
  mkdirSync(join(home.cwd, 'sync/data-models'), { recursive: true });
  home.write('sync/data-models/m.yaml', 'id: m\nname: M\nstate: active\ntype: sql\nconfig: {sql_query: SELECT 1}\n');
  const flags = ['--prune', '--allow-delete', '--allow-empty', '--force'];
  const mixed = terminal(['warehouse', 'apply', 'sync', ...flags]);
  await mixed.waitFor('Apply 2 steps, including 1 deletion? (y/N)');
  mixed.type(KEY.enter);
  expect(await mixed.exit).toBe(12);
  await home.run('warehouse apply sync --yes');
  const deletion = terminal(['warehouse', 'apply', 'sync', ...flags]);
  await deletion.waitFor('Delete 1 resource? (y/N)');
  deletion.type(KEY.enter);
  expect(await deletion.exit).toBe(12);
});

test('sends nothing if the prompt is cancelled', async () => {
  const before = await home.writes();
  const screen = terminal(['connections', 'update', 'crm', '--role', 'loader']);
  await screen.waitFor('password of connection crm');
  screen.type(KEY.ctrlC);
  expect(await screen.exit).toBe(130);
  expect(await home.writes()).toEqual(before);
});
