// Prompts for a missing id on a real terminal: searching, choosing and cancelling. Without a terminal there is no
// prompt.
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type CliHome, createCliHome, runCli } from '../helpers/cli.ts';
import { openPlatformHome } from '../helpers/platform-home.ts';
import { KEY, openTerminal, type Terminal } from '../helpers/pty.ts';

let home: CliHome;
beforeEach(() => (home = createCliHome()));
afterEach(() => home.remove());

const PROFILE = ['--profile', 'local'];
const terminal = (args: string[], env: Record<string, string> = {}): Terminal =>
  openTerminal([...args, ...PROFILE], { cwd: home.cwd, env: { ...home.env, ...env } });

const run = (id: number) => ({
  ...{ id, pipeline_id: 'customers', type: 'manual', status: 'success', successful_records: 4 },
  ...{ logical_date: '2026-01-02T00:00:00Z', started_on: '2026-01-02T00:00:00Z', ended_on: '2026-01-02T00:01:00Z' },
});
const RUNS = {
  connections: [
    { id: 'crm', name: 'CRM', service_provider: 'PROVIDER_D', config: { provider: 'acme', schema: 'shop' } },
  ],
  data_models: [{ id: 'model', name: 'Model', type: 'sql', config: { sql_query: 'SELECT 1 AS customer_id' } }],
  pipelines: [
    {
      ...{ id: 'customers', name: 'People', pipeline_type: 'user_attributes', state: 'active' },
      ...{ connection_id: 'crm', data_model_id: 'model', environment: 'production' },
      ...{ sync_mode: { type: 'full' }, schedule: { type: 'on_demand' } },
    },
  ],
  runs: [run(1001), run(1002)],
};

describe('a missing id on a terminal', () => {
  test('is found by part of its text and selected with Enter', async () => {
    const screen = terminal(['roles', 'get']);
    await screen.waitFor('admin-role');
    screen.type('support');
    await screen.waitFor('❯ support-role');
    screen.type(KEY.enter);
    await screen.waitFor('Support');
    expect(await screen.exit).toBe(0);
    expect(screen.screen()).toMatch(/✔ Role support-role/);
  });

  test('is selected in log show from a list of writes', async () => {
    await runCli(['roles', 'update', 'support-role', '--name', 'Desk', '--yes', ...PROFILE], home);
    const screen = terminal(['log', 'show']);
    await screen.waitFor('roles update  support-role  done');
    screen.type('support');
    await screen.waitFor('Write support');
    screen.type(KEY.enter);
    await screen.waitFor('UNDO');
    expect(await screen.exit).toBe(0);
  });

  test('is selected by typing it in accessible mode', async () => {
    const screen = terminal(['roles', 'get'], { CDPADM_ACCESSIBLE: '1' });
    await screen.waitFor('Number or word');
    screen.type(`support-role${KEY.enter}`);
    await screen.waitFor('Support');
    expect(await screen.exit).toBe(0);
  });

  test('ends the command with exit code 130 on Ctrl-C', async () => {
    const screen = terminal(['roles', 'delete']);
    await screen.waitFor('admin-role');
    screen.type(KEY.ctrlC);
    expect(await screen.exit).toBe(130);
  });

  test('is selected from a list of run ids, latest run first', async () => {
    const { env, cwd, close } = await openPlatformHome({ fixtures: RUNS });
    onTestFinished(close);
    const screen = openTerminal(['pipelines', 'watch'], { cwd, env });
    await screen.waitFor('❯ customers');
    screen.type(KEY.enter);
    await screen.waitFor('❯ the latest run');
    screen.type('1001');
    await screen.waitFor('❯ 1001');
    screen.type(KEY.enter);
    await screen.waitFor('run 1001');
    expect(await screen.exit).toBe(0);
  });

  test('is selected from a list that omits the previously selected id', async () => {
    const screen = terminal(['roles', 'compare']);
    await screen.waitFor('First role');
    screen.type('admin');
    await screen.waitFor('❯ admin-role');
    screen.type(KEY.enter);
    await screen.waitFor('✔ First role admin-role');
    await screen.waitFor('Second role');
    expect(screen.screen().split('Second role')[1]).not.toContain('admin-role');
    screen.type(KEY.enter);
    expect(await screen.exit).toBe(0);
  });

  test('is a usage error if there is nothing to choose', async () => {
    const screen = terminal(['groups', 'get']);
    expect(await screen.exit).toBe(2);
    expect(screen.screen()).toContain('nothing to choose from');
    expect(screen.screen()).toContain('To create one: cdpadm groups create --help');
  });

  test('is selected in roles edit from a list that starts with the whole manifest', async () => {
    const show = `"${process.execPath}" -e "console.log(fs.readFileSync(process.argv.at(-1), 'utf8'))"`;
    for (const [keys, told] of [
      ['', 'role_id: support-role'],
      ['admin', 'role_id: admin-role'],
    ] as const) {
      const screen = terminal(['roles', 'edit'], { CDPADM_EDITOR: show });
      await screen.waitFor('the whole manifest');
      screen.type(keys);
      await screen.waitFor(keys === '' ? '❯' : '❯ admin-role');
      screen.type(KEY.enter);
      await screen.waitFor(told);
      expect(await screen.exit).toBe(0);
      expect(screen.screen().includes('role_id: support-role')).toBe(keys === '');
    }
  });
});

describe('a missing id without prompts', () => {
  test.each([
    [['roles', 'get'], 'role_id', 'To list them: cdpadm roles list'],
    [['pipelines', 'run', 'customers'], 'run_id', 'Did you mean `cdpadm pipelines runs customers`?'],
    [['log', 'show'], 'id', 'To list them: cdpadm log'],
    [['profile', 'use'], 'name', 'To list them: cdpadm profile list'],
  ])('is a usage error: %j', async (args, name, hint) => {
    const { code, stderr, stdout } = await runCli([...args, ...PROFILE], { env: home.env, cwd: home.cwd });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(name);
    expect(stderr).toContain(hint);
  });

  test('is a usage error on a terminal with --no-input', async () => {
    const screen = terminal(['roles', 'get', '--no-input']);
    expect(await screen.exit).toBe(2);
    expect(screen.screen()).not.toContain('admin-role');
  });
});
