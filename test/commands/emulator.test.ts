// The emulator commands against a running platform and against profile `local`.
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import type { EmulatorReady } from '../../src/lib/emulator/index.ts';
import { interrupted, timedOut } from '../../src/lib/runtime/interrupt.ts';
import { startCallbackReceiver } from '../helpers/callback-receiver.ts';
import { type CliHome, type CliOptions, type CliResult, createCliHome } from '../helpers/cli.ts';
import { dsrBody } from '../helpers/dsr.ts';
import { send } from '../helpers/emulator.ts';
import { type FaultServer, hangUp, json as jsonAnswer, startFaultServer } from '../helpers/fault-server.ts';
import { makeCertificate } from '../helpers/certificate.ts';
import { opened } from '../helpers/opened.ts';

let home: CliHome;
let started: { end(): Promise<CliResult> }[];

beforeEach(() => {
  home = createCliHome();
  started = [];
});
afterEach(async () => {
  for (const { end } of started) await end();
  home.remove();
});

const cli = (args: string[], options?: CliOptions): Promise<CliResult> => home.run(args, options);

async function json(args: string[], options: CliOptions = {}): Promise<unknown> {
  const { code, stdout, stderr } = await cli([...args, '-o', 'json'], options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** Runs `emulator start` in the background until `end` is called or the test ends. */
async function start(...args: string[]): Promise<{ ready: Record<string, unknown>; end(): Promise<CliResult> }> {
  const stop = new AbortController();
  let resolveLine: (line: string) => void;
  const line = new Promise<string>((resolve) => (resolveLine = resolve));
  const onOutput = (stdout: string): void => {
    if (stdout.includes('\n')) resolveLine(stdout);
  };
  const result = cli(['emulator', 'start', '--port', '0', '-o', 'json', ...args], { stop, onOutput });
  const end = (): Promise<CliResult> => {
    stop.abort(interrupted());
    return result;
  };
  started.push({ end });
  const first = await Promise.race([line, result.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  return { ready: JSON.parse(first) as Record<string, unknown>, end };
}

describe('emulator start', () => {
  test('prints one line of JSON, and keeps its registry entry only while it runs', async () => {
    const { ready, end } = await start();
    expect(Object.keys(ready)).toEqual([
      'base_url',
      'auth_url',
      'dsr_base_url',
      'seeding_url',
      'identity_url',
      'vendor_domain',
      'org_id',
      'account_id',
      'workspace_id',
      'client_id',
      'client_secret',
      'workspace_key',
      'workspace_secret',
      'control_url',
      'ca_file',
      'console_url',
      'listen_url',
    ]);
    const folder = join(home.folder, 'state', 'emulators');
    const [file = ''] = readdirSync(folder);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    const { code, stdout } = await end();
    expect(code).toBe(130);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['csv', /^base_url,auth_url,.*,ca_file,console_url,listen_url\nhttp:\/\/127\.0\.0\.1:\d+,.*\n$/],
    [
      'yaml',
      /^---\nbase_url: http:\/\/127\.0\.0\.1:\d+\n(?:\w+: .*\n){13}ca_file: .*\nconsole_url: .*\nlisten_url: .*\n$/,
    ],
    ['name', /^http:\/\/127\.0\.0\.1:\d+\n$/],
  ])('prints its addresses with -o %s', async (format, expected) => {
    const stop = new AbortController();
    const args = ['emulator', 'start', '--port', '0', '-o', format];
    const { code, stdout } = await cli(args, { stop, onOutput: () => stop.abort(interrupted()) });
    expect(code).toBe(130);
    expect(stdout).toMatch(expected);
  });

  it.each([
    ['missing', 'nowhere.sqlite', 2, 'nowhere.sqlite: no such file.'],
    ['a folder', '.', 2, ': it is not a file.'],
    ['not a SQLite database', 'text.sqlite', 9, 'text.sqlite is not a SQLite database.'],
  ])('rejects a warehouse file that is %s', async (_what, file, exit, message) => {
    writeFileSync(join(home.cwd, 'text.sqlite'), 'id,name\n1,a\n');
    const { code, stderr, stdout } = await cli(['emulator', 'start', '--port', '0', '--warehouse', file]);
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
    expect(stderr).toContain(message);
  });

  test('loads fixtures, stops the clock, and does not store state if --memory is set', async () => {
    writeFileSync(
      join(home.cwd, 'fixtures.yaml'),
      'organizations: [{ id: 77, client_id: me, client_secret: secret-of-77 }]\naccounts: [{ id: 78, org_id: 77 }]\nworkspaces: [{ id: 79, account_id: 78, key: k, secret: secret-of-79 }]\n',
    );
    const { ready } = await start('--memory', '--fixtures', 'fixtures.yaml', '--clock', 'manual');
    expect(ready).toMatchObject({ org_id: 77, account_id: 78, workspace_id: 79, client_id: 'me' });
    const before = await json(['emulator', 'clock']);
    expect(await json(['emulator', 'clock'])).toEqual(before);
    expect(readdirSync(home.folder)).not.toContain('data');
  });

  it.each<[string[], number, string]>([
    [['--port', '70000'], 2, '--port'],
    [['--port', 'x'], 2, '--port'],
    [['--fixtures', 'missing.yaml'], 2, 'missing.yaml'],
    [['--names', 'list.yaml'], 9, 'list.yaml:1:1: must be an object, not a list'],
    [['--names', 'list.yaml'], 9, 'Nothing was started.'],
    [['--names', 'number.yaml'], 9, 'number.yaml:2:7: xpid: must be a string, not a number'],
    [['--fixtures', 'roles.yaml'], 9, 'roles.yaml:3:5: roles[0].nmae: unknown field'],
    [['--fixtures', 'roles.yaml'], 9, 'roles.yaml:5:7: roles[0].tasks[0]: '],
  ])('rejects %j with exit code %i and a message that contains `%s`', async (args, code, text) => {
    writeFileSync(join(home.cwd, 'list.yaml'), '- a\n');
    writeFileSync(join(home.cwd, 'number.yaml'), 'email: mail\nxpid: 7\n');
    writeFileSync(join(home.cwd, 'roles.yaml'), 'roles:\n  - role_id: a\n    nmae: A\n    tasks:\n    - 7\n');
    const result = await cli(['emulator', 'start', '--memory', ...args]);
    expect(result.stderr).toContain(text);
    expect(result.code).toBe(code);
  });

  test('rejects a second platform for the same state, and prints the process of the first', async () => {
    await start();
    const { code, stderr } = await cli(['emulator', 'start', '--port', '0']);
    expect(code).toBe(6);
    expect(stderr).toContain(`(process ${process.pid})`);
  });
});

describe('emulator env', () => {
  test('sets CDPADM_CA_FILE while the file exists', async () => {
    const { ready } = await start('--memory');
    const file = String(ready.ca_file);
    expect(file).toBe(join(home.folder, 'cache', 'emulator', 'ca.pem'));
    expect(readFileSync(file, 'utf8')).toContain('BEGIN CERTIFICATE');
    expect(await json(['emulator', 'env'])).toMatchObject({ CDPADM_CA_FILE: file });
    rmSync(file);
    expect(await json(['emulator', 'env'])).toMatchObject({ CDPADM_CA_FILE: '' });
    expect((await cli(['roles', 'list', '--profile', 'local'])).code).toBe(0);
  });

  test('overrides the settings of the current profile and the variables in the shell', async () => {
    await start('--memory');
    const other = '--base-url https://api.vendor.example --audience https://audience.example';
    const made = await cli(`profile create vendor ${other} --client-id me --client-secret-env SECRET --use`.split(' '));
    expect(made).toMatchObject({ code: 0 });
    expect(await cli(['profile', 'edit', 'vendor', '--set', 'names.xpid=member_id'])).toMatchObject({ code: 0 });
    const { stdout } = await cli(['emulator', 'env']);
    const exported = [...stdout.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, name = '', value = '']) => [name, value]);
    const env = { CDPADM_ACCESS_TOKEN: 'stale', CDPADM_ENVIRONMENT: 'production', ...Object.fromEntries(exported) };
    expect(await json(['roles', 'list'], { env })).not.toHaveLength(0);
    const settings = JSON.stringify(await json(['profile', 'show', '--origin'], { env }));
    expect(settings).not.toMatch(/audience\.example|api\.vendor|member_id|production/);
  });

  test("makes commands trust the platform's certificates for HTTPS and for signatures", async () => {
    const { cert, key } = makeCertificate();
    for (const [name, text] of Object.entries({ cert: `${key}${cert}`, key }))
      writeFileSync(join(home.cwd, name), text);
    const { ready } = await start('--memory', '--tls-cert', 'cert', '--tls-key', 'key');
    const env = (await json(['emulator', 'env'])) as Record<string, string>;
    const trusted = readFileSync(env.CDPADM_CA_FILE ?? '', 'utf8');
    expect(/BEGIN (?!CERTIFICATE)/.exec(trusted)).toBe(null);
    expect(ready.ca_file).toBe(env.CDPADM_CA_FILE);
    expect(await json(['roles', 'list'], { env })).not.toHaveLength(0);
    expect((await cli(['dsr', 'discovery'], { env })).code).toBe(0);
  });

  test('prints the name of the imitated profile, but no profile name if --names is set', async () => {
    await cli(
      'profile create vendor --base-url https://api.vendor.example --org 7 --account 8 --workspace 9'.split(' '),
    );
    await start('--memory', '--as', 'vendor');
    expect(await json(['emulator', 'env'])).toMatchObject({ CDPADM_PROFILE: 'vendor' });
    writeFileSync(join(home.cwd, 'names.yaml'), 'xpid: member_id\n');
    await start('--memory', '--names', 'names.yaml');
    expect(await json(['emulator', 'env'])).not.toHaveProperty('CDPADM_PROFILE');
  });

  test('prints all variables that a command needs', async () => {
    const { ready } = await start();
    const env = (await json(['emulator', 'env'])) as Record<string, string>;
    expect(env.CDPADM_BASE_URL).toBe(ready.base_url);
    expect(await json(['roles', 'list'], { env })).not.toHaveLength(0);
  });

  test.each(['CDPADM_PROFILE', 'profile use'])(
    'makes commands use the running platform if `%s` selects profile local',
    async (how) => {
      const { ready } = await start('--memory');
      const chosen: Record<string, string> = how === 'CDPADM_PROFILE' ? { CDPADM_PROFILE: 'local' } : {};
      if (how === 'profile use') await cli(['profile', 'use', 'local']);
      const env = { ...chosen, ...((await json(['emulator', 'env'], { env: chosen })) as Record<string, string>) };
      expect(env.CDPADM_BASE_URL).toBe(ready.base_url);
      expect(await json(['groups', 'list'], { env })).toEqual([]);
      expect((await cli(['auth', 'test'], { env })).code).toBe(0);
      // The emulator commands use the same platform as the other commands.
      expect(JSON.stringify(await json(['emulator', 'log'], { env }))).toContain('oauth/token');
      const line = 'dsr submit --regulation gdpr --type erasure --identity email=a@b.c --yes';
      expect((await cli(line.split(' '), { env })).stderr).toMatch(/^Target: profile local, .*, http:\/\/127/m);
      const own = await cli([...line.split(' '), '--profile', 'local']);
      expect(own.stderr).toMatch(/^Target: profile local, .*, embedded platform$/m);
      rmSync(join(home.folder, 'data'), { recursive: true });
      expect((await cli(['groups', 'list'], { env })).code).toBe(0);
      expect(readdirSync(home.folder)).not.toContain('data');
    },
  );

  test('exits with 5 for profile local, whose platform stops after each command', async () => {
    expect((await cli(['emulator', 'env'], { env: { CDPADM_PROFILE: 'local' } })).code).toBe(5);
  });

  test('quotes values for the shell', async () => {
    writeFileSync(
      join(home.cwd, 'fixtures.yaml'),
      `organizations: [{ id: 1, client_id: "it's; $(me)", client_secret: "a b" }]\naccounts: [{ id: 2, org_id: 1 }]\nworkspaces: [{ id: 3, account_id: 2, key: k, secret: s }]\n`,
    );
    await start('--memory', '--fixtures', 'fixtures.yaml');
    const { stdout } = await cli(['emulator', 'env']);
    expect(stdout).toContain(`export CDPADM_CLIENT_ID='it'\\''s; $(me)'\n`);
    expect(stdout).toContain(`export CDPADM_CLIENT_SECRET='a b'\n`);
  });

  test('selects the most recently started platform, or the one on the port that --port specifies', async () => {
    const first = await start('--memory');
    const second = await start('--memory');
    expect(await json(['emulator', 'env'])).toMatchObject({ CDPADM_BASE_URL: second.ready.base_url });
    const port = new URL(String(first.ready.base_url)).port;
    expect(await json(['emulator', 'env', '--port', port])).toMatchObject({ CDPADM_BASE_URL: first.ready.base_url });
  });

  test('exits with 5 if no platform is running', async () => {
    const { code, stderr } = await cli(['emulator', 'env']);
    expect(code).toBe(5);
    expect(stderr).toContain('cdpadm emulator start');
  });

  test('ignores registry entries that are damaged or belong to a killed process', async () => {
    const { end } = await start('--memory');
    const folder = join(home.folder, 'state', 'emulators');
    const [file = ''] = readdirSync(folder);
    const entry = JSON.parse(readFileSync(join(folder, file), 'utf8')) as object;
    await end();
    // No system assigns this process id.
    writeFileSync(join(folder, file), JSON.stringify({ ...entry, pid: 2 ** 30 }), { mode: 0o600 });
    writeFileSync(join(folder, '1.json'), 'half a fi', { mode: 0o600 });
    expect((await cli(['emulator', 'env'])).code).toBe(5);
  });
});

// The emulator commands behave the same on a running platform and with profile local.
describe.each([
  ['a running platform', true],
  ['profile local', false],
])('an emulator command on %s', (_what, running) => {
  let args: string[];
  beforeEach(async () => {
    args = running ? [] : ['--profile', 'local'];
    if (running) await start('--clock', 'manual');
  });

  test('prints and advances the clock', async () => {
    const { now } = (await json(['emulator', 'clock', ...args])) as { now: string };
    const moved = (await json(['emulator', 'clock', 'advance', '8d', ...args])) as { now: string };
    expect(Date.parse(moved.now) - Date.parse(now)).toBeGreaterThanOrEqual(8 * 86_400_000);
    expect(await cli(['emulator', 'clock', 'advance', 'soon', ...args])).toMatchObject({ code: 2, stdout: '' });
  });

  test('adds, lists and clears faults', async () => {
    const added = await json([
      'emulator',
      'fault',
      'add',
      '--method',
      'get',
      '--status',
      '503',
      '--times',
      '2',
      ...args,
    ]);
    expect(added).toEqual({ method: 'GET', status: 503, times: 2 });
    expect(await json(['emulator', 'fault', 'list', ...args])).toEqual([added]);
    expect(await json(['emulator', 'fault', 'clear', ...args])).toEqual([]);
    expect(await json(['emulator', 'fault', 'list', ...args])).toEqual([]);
  });

  it.each<[string[], string]>([
    [[], '--status'],
    [['--status', 'many'], '--status'],
    [['--status', '99'], 'status'],
    [['--drop', 'now'], 'before, after'],
    [['--status', '500', '--delay', 'long'], 'delay'],
  ])('rejects the fault flags %j', async (flags, text) => {
    const { code, stderr } = await cli(['emulator', 'fault', 'add', ...flags, ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
  });

  test('assigns a role, lists the logged requests, and clears the log on reset', async () => {
    const platform = ['--profile', 'local'];
    const [role] = (await json(['roles', 'list', ...platform])) as { role_id: string }[];
    const roleId = role?.role_id ?? '';
    const assign = ['emulator', 'assign-role', roleId, '--user', 'ann@example.com', ...args];
    expect(await json(assign)).toMatchObject({ role_id: roleId, user: 'ann@example.com' });
    expect((await cli(['emulator', 'assign-role', 'none', '--user', 'a@example.com', ...args])).code).toBe(5);
    const log = (await json(['emulator', 'log', ...args])) as { path: string; status: number }[];
    expect(log.some(({ path, status }) => path.endsWith('/roles') && status === 200)).toBe(true);
    for (const columns of [100, 80, 60]) {
      const { stdout } = await cli(['emulator', 'log', ...args], { tty: true, columns });
      expect(stdout).toMatch(/\/organizations\/\d+\/accounts\/\d+\/roles$/m);
    }
    await json(['emulator', 'reset', ...args]);
    expect(await json(['emulator', 'log', ...args])).toEqual([]);
  });

  test('changes nothing in a dry run', async () => {
    const shown = await json(['emulator', 'fault', 'add', '--status', '500', '-n', ...args]);
    expect(shown).toMatchObject({ dry_run: true, requests: [{ method: 'POST', body: { status: 500 } }] });
    expect(await json(['emulator', 'fault', 'list', ...args])).toEqual([]);
  });

  test('changes nothing with --curl, and prints the curl command', async () => {
    const { code, stdout } = await cli(['emulator', 'fault', 'add', '--status', '500', '--curl', ...args]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`/faults' \\\n`)]);
    expect(stdout).toContain(`--data-raw '{"status":500}'`);
    expect(await json(['emulator', 'fault', 'list', ...args])).toEqual([]);
  });
});

test('lists callbacks with their results, and resends them', async () => {
  const receiver = await opened(startCallbackReceiver());
  const { ready } = await start('--clock', 'manual', '--memory');
  const list = ['emulator', 'callbacks', 'list'];
  const resend = ['emulator', 'callbacks', 'resend'];
  expect((await cli(list)).stderr).toContain('There are no callbacks');
  const { dsr_base_url, workspace_key, workspace_secret } = ready as unknown as EmulatorReady;
  const body = dsrBody({ status_callback_urls: [receiver.url] });
  const authorization = `Basic ${btoa(`${workspace_key}:${workspace_secret}`)}`;
  const created = await send('POST', `${dsr_base_url}/requests/`, { body, headers: { authorization } });
  expect(created.status).toBe(201);
  expect(await json([...resend, '-n'])).toMatchObject({ dry_run: true, requests: [{ method: 'POST', body: {} }] });
  expect(await json(list)).toMatchObject([{ state: 'queued', request_status: 'pending', attempts: [] }]);
  receiver.next(401);
  await json(resend);
  const { stdout } = await cli([...list, '--fields', 'state,attempts,last_answer']);
  expect(stdout.split('\n')[1]).toBe('queued\t1\t401');
  const [{ id } = { id: 0 }] = (await json([...resend, body.subject_request_id])) as { id: number }[];
  expect(await json([...resend, '--callback', String(id)])).toMatchObject([{ state: 'delivered' }]);
  expect(receiver.received).toHaveLength(3);
  expect((await cli([...resend, '--callback', '99'])).code).toBe(5);
  expect((await cli([...resend, '--callback', 'x'])).code).toBe(2);
  expect((await cli([...resend, 'id', '--callback', '1'])).code).toBe(2);
});

describe('profile local', () => {
  test('keeps its state between commands', async () => {
    const first = await json(['roles', 'list', '--profile', 'local']);
    await json(['emulator', 'clock', 'advance', '9d', '--profile', 'local']);
    const { now } = (await json(['emulator', 'clock', '--profile', 'local'])) as { now: string };
    expect(Date.parse(now)).toBeGreaterThan(Date.now() + 8 * 86_400_000);
    expect(await json(['roles', 'list', '--profile', 'local'])).toEqual(first);
  });

  test('keeps its token and files between commands, although each starts the platform on a different port', async () => {
    const round = async (): Promise<string[]> => {
      for (const line of ['roles list', 'roles pull --overwrite', 'groups list', 'dsr discovery', 'auth test'])
        expect((await cli([...line.split(' '), '--profile', 'local'])).stderr).not.toContain('Error');
      const names = readdirSync(home.folder, { recursive: true, encoding: 'utf8' });
      return names.map((name) => name.replace(/\d{8}T\d{9}Z/, 'TIME')).sort();
    };
    const first = await round();
    expect(first.filter((name) => /^state\/budget\/.*json$/.test(name))).toHaveLength(1);
    expect(await round()).toEqual(first);
    expect(await round()).toEqual(first);
    await cli(['roles', 'list', '--profile', 'local']);
    const log = (await json(['emulator', 'log', '--profile', 'local'])) as { path: string }[];
    // The first command and each of the three `auth test` runs request a token.
    expect(log.filter(({ path }) => path === '/oauth/token')).toHaveLength(4);
  });

  test('uses the running platform that has the same state', async () => {
    const { ready } = await start();
    const { stdout } = await cli(['roles', 'list', '--profile', 'local', '--curl']);
    expect(stdout).toContain(String(ready.base_url));
  });

  test('returns the same result to concurrent commands', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => json(['roles', 'list', '--profile', 'local'])));
    expect(new Set(all.map((list) => JSON.stringify(list))).size).toBe(1);
  });

  test('does not use a running platform with different state', async () => {
    const { ready } = await start('--memory');
    const { stdout } = await cli(['roles', 'list', '--profile', 'local', '--curl']);
    expect(stdout).toContain('127.0.0.1');
    expect(stdout).not.toContain(String(ready.base_url));
  });
});

test('exits with 8 if the platform no longer responds', async () => {
  const { end } = await start('--memory');
  const folder = join(home.folder, 'state', 'emulators');
  const [file = ''] = readdirSync(folder);
  const entry = readFileSync(join(folder, file));
  await end();
  writeFileSync(join(folder, file), entry, { mode: 0o600 });
  const { code, stderr } = await cli(['emulator', 'log']);
  expect(code).toBe(8);
  expect(stderr).toContain('did not respond');
  expect(stderr).toContain('start a platform: cdpadm emulator start');
});

/** The response from a platform whose disk is full. */
const FULL = jsonAnswer({ errors: [{ message: 'The embedded platform failed: disk I/O error' }] }, { status: 500 });

describe('a command for a running platform', () => {
  test.each([
    ['a reset gets no response', ['emulator', 'reset'], hangUp, 'The outcome of the change is unknown'],
    ['a reset fails', ['emulator', 'reset'], FULL, 'has status 500: disk I/O error.'],
    ['a read gets no response', ['emulator', 'log'], hangUp, 'Run the command again.'],
  ])('exits with 8 and prints a hint if %s', async (_what, args, answer, hint) => {
    (await impostor()).otherwise(answer);
    const { code, stderr } = await cli(args);
    expect(code).toBe(8);
    expect(stderr).toContain(hint);
    expect(stderr).not.toContain('start a platform: cdpadm emulator start');
  });

  test.each([
    ['emulator clock', 130, 'Error: Interrupted.\nNo changes were made.'],
    ['emulator clock advance 1d', 130, 'The outcome of the change is unknown: the embedded platform at '],
    ['emulator log --follow', 130, ''],
    ['emulator clock', 11, 'Error: The command did not finish within its --timeout of 5ms.\n'],
    ['emulator clock advance 1d', 11, 'did not respond before the command was stopped.'],
  ])('ends `%s` with %i if it is stopped during the call', async (line, code, message) => {
    const stop = new AbortController();
    (await impostor()).otherwise(() => stop.abort(code === 130 ? interrupted() : timedOut(5)));
    const result = await home.run(line, { stop });
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(message);
    if (message === '') expect(result.stderr).toBe('');
    expect(result.stderr).not.toContain('..');
  });

  /** Registers a server in the place of a running platform, and returns the server. */
  async function impostor(): Promise<FaultServer> {
    const { ready } = await start('--memory');
    const server = await opened(startFaultServer());
    const [file = ''] = readdirSync(join(home.folder, 'state', 'emulators'));
    const path = join(home.folder, 'state', 'emulators', file);
    const entry = readFileSync(path, 'utf8').replaceAll(String(ready['control_url']), server.url);
    writeFileSync(path, entry, { mode: 0o600 });
    return server;
  }
});
