// A missing id on a terminal: the user chooses one. Elsewhere it is a usage error.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CliHome, createCliHome, runCli } from '../helpers/cli.ts';
import { KEY, openTerminal } from '../helpers/pty.ts';

let home: CliHome;
beforeEach(() => (home = createCliHome()));
afterEach(() => home.remove());

it.each([
  ['redrawing', {}, 'support'],
  ['line by line', { CDPADM_ACCESSIBLE: '1' }, 'support-role'],
])('chooses a role among those that match the typed text, %s', async (_way, env, typed) => {
  const args = ['roles', 'get', '--profile', 'local'];
  const terminal = openTerminal(args, { cwd: home.cwd, env: { ...home.env, ...env } });
  await terminal.waitFor('role_id');
  await terminal.waitFor('admin-role');
  terminal.type(typed);
  if (!('CDPADM_ACCESSIBLE' in env)) await terminal.waitFor('support');
  terminal.type(KEY.enter);
  await terminal.waitFor('Support');
  expect(await terminal.exit).toBe(0);
});

it('chooses each of several missing ids', async () => {
  const terminal = openTerminal(['roles', 'compare', '--profile', 'local'], { cwd: home.cwd, env: home.env });
  await terminal.waitFor('admin-role');
  terminal.type(KEY.enter);
  await terminal.waitFor('admin-role');
  terminal.type(KEY.enter);
  await terminal.waitFor('Both');
  expect(await terminal.exit).toBe(0);
});

it.each(['roles get', 'roles delete', 'pipelines run', 'pipelines pause', 'dsr status', 'profile use', 'groups get'])(
  'is a usage error without a terminal: %s',
  async (line) => {
    const { code, stderr } = await runCli(line.split(' '), { env: home.env, cwd: home.cwd });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/Missing required argument `\w+`/)]);
  },
);
