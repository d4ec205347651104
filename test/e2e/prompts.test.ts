// Prompts of the built program on a real terminal.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type CliHome, type CliResult, createCliHome, runCli } from '../helpers/cli.ts';
import { startTestEmulator } from '../helpers/emulator.ts';
import { KEY, openTerminal, type Terminal } from '../helpers/pty.ts';

let home: CliHome;
beforeEach(() => (home = createCliHome()));
afterEach(() => home.remove());

type Variables = Record<string, string>;

/** Both kinds of prompts: redrawn, and line by line for screen readers and simple terminals. */
const WAYS: [way: string, env: Variables][] = [
  ['redrawing', {}],
  ['line by line', { CDPADM_ACCESSIBLE: '1' }],
];

function terminal(args: string[], env: Variables = {}): Terminal {
  return openTerminal(args, { cwd: home.cwd, env: { ...home.env, ...env } });
}

const cli = (args: string[]): Promise<CliResult> => runCli(args, { env: home.env, cwd: home.cwd });

/** Pulls the manifest of the embedded platform and renames one role in the file. */
async function pullAndRename(): Promise<void> {
  expect((await cli(['roles', 'pull', '--profile', 'local'])).code).toBe(0);
  const file = join(home.cwd, 'roles.yaml');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('name: User\n', 'name: Renamed\n'));
  expect(readFileSync(file, 'utf8')).not.toBe(text);
}

async function isRenamed(): Promise<boolean> {
  const { stdout } = await cli(['roles', 'list', '-o', 'json', '--profile', 'local']);
  return (JSON.parse(stdout) as { name: string }[]).some(({ name }) => name === 'Renamed');
}

describe.each(WAYS)('a confirmation (%s)', (_way, env) => {
  beforeEach(pullAndRename);

  test.each([
    [0, 'yes', `y${KEY.enter}`],
    [12, 'no', `n${KEY.enter}`],
    [12, 'Enter alone', KEY.enter],
    [130, 'Ctrl-C', KEY.ctrlC],
    [12, 'Ctrl-D', KEY.ctrlD],
  ])('exits with %i for the answer: %s', async (code, _answer, keys) => {
    const screen = terminal(['roles', 'push', '--profile', 'local'], env);
    await screen.waitFor('(y/N)');
    screen.type(keys);
    expect(await screen.exit).toBe(code);
    expect(await isRenamed()).toBe(code === 0);
  });

  test('prompts again after an invalid answer', async () => {
    const screen = terminal(['roles', 'push', '--profile', 'local'], env);
    await screen.waitFor('(y/N)');
    screen.type(`garbage${KEY.enter}`);
    await screen.waitFor('Type y or n.');
    screen.type(`y${KEY.enter}`);
    expect(await screen.exit).toBe(0);
    expect(await isRenamed()).toBe(true);
  });

  test('prints only the result on standard output', async () => {
    const shell = '$CDPADM roles push --profile local -o json > result.json';
    const screen = openTerminal([], { cwd: home.cwd, env: { ...home.env, ...env }, shell });
    await screen.waitFor('(y/N)');
    screen.type(`y${KEY.enter}`);
    expect(await screen.exit).toBe(0);
    expect(JSON.parse(readFileSync(join(home.cwd, 'result.json'), 'utf8'))).toMatchObject({ applied: true });
  });
});

describe.each(WAYS)('a typed confirmation (%s)', (_way, env) => {
  let deleted = '';

  beforeEach(async () => {
    expect((await cli(['roles', 'pull', '--profile', 'local'])).code).toBe(0);
    const file = join(home.cwd, 'roles.yaml');
    const lines = readFileSync(file, 'utf8').split('\n');
    // Deletes the last role.
    const last = lines.findLastIndex((line) => line.includes('role_id:'));
    deleted = (lines[last] ?? '').split(': ')[1] ?? '';
    writeFileSync(file, `${lines.slice(0, last).join('\n')}\n`);
  });

  const count = async (): Promise<number> => {
    const { stdout } = await cli(['roles', 'list', '-o', 'json', '--profile', 'local']);
    return (JSON.parse(stdout) as unknown[]).length;
  };

  test('cancels the command if a different word is typed', async () => {
    const before = await count();
    const screen = terminal(['roles', 'push', '--profile', 'local'], env);
    await screen.waitFor('delet');
    await screen.waitFor('its id');
    screen.type(`7${KEY.enter}`);
    expect(await screen.exit).toBe(12);
    expect(await count()).toBe(before);
  });

  test('continues if the expected word is typed', async () => {
    const before = await count();
    const screen = terminal(['roles', 'push', '--profile', 'local'], env);
    await screen.waitFor('delet');
    await screen.waitFor('its id');
    screen.type(`${deleted}${KEY.enter}`);
    await screen.waitFor('(y/N)');
    screen.type(`y${KEY.enter}`);
    expect(await screen.exit).toBe(0);
    expect(await count()).toBe(before - 1);
  });
});

describe.each(WAYS)('the prompts for a new profile (%s)', (way, env) => {
  const given = ['--auth-url', 'https://auth.example', '--org', '1', '--account', '2', '--insecure-storage'];

  test('reject invalid text when it is entered, and never display a secret', async () => {
    const screen = terminal(['profile', 'create', 'prod', ...given, '--client-id', 'me'], env);
    await screen.waitFor('Platform address');
    screen.type(`nowhere${KEY.enter}`);
    await screen.waitFor('must be');
    screen.type(`http://127.0.0.1:1${KEY.enter}`);
    await screen.waitFor('ECONNREFUSED');
    await screen.waitFor('Keep it anyway? (y/N)');
    screen.type(`y${KEY.enter}`);
    await screen.waitFor('secret');
    screen.type(`s3cret-value${KEY.enter}`);
    await screen.waitFor('Environment: none');
    screen.type(KEY.enter);
    await screen.waitFor('Test the credentials now?');
    screen.type(`n${KEY.enter}`);
    await screen.waitFor('Try it: cdpadm auth test');
    expect(await screen.exit).toBe(0);
    expect(screen.screen()).not.toContain('s3cret');
    const { stdout } = await cli(['profile', 'show', 'prod', '-o', 'json']);
    expect(stdout).toContain('http://127.0.0.1:1');
    expect(stdout).not.toContain('s3cret');
  });

  test.each([
    ['that work', '', ['32 tasks']],
    ['that do not', 'x', ['failed', 'The profile is kept.', 'cdpadm auth login --profile prod']],
  ])('end with a test of credentials %s', async (_which, end, told) => {
    const platform = await startTestEmulator();
    onTestFinished(() => platform.close());
    const { ready } = platform;
    const flags = ['--base-url', ready.base_url, '--auth-url', ready.auth_url, '--org', '1001', '--account', '2001'];
    const create = ['profile', 'create', 'prod', ...flags, '--client-id', ready.client_id, '--insecure-storage'];
    const screen = terminal(create, env);
    await screen.waitFor('secret');
    screen.type(`${ready.client_secret}${end}${KEY.enter}`);
    await screen.waitFor('Environment: none');
    screen.type(KEY.enter);
    await screen.waitFor('Test the credentials now? (Y/n)');
    screen.type(KEY.enter);
    for (const text of told) await screen.waitFor(text);
    expect(await screen.exit).toBe(0);
    expect((await cli(['profile', 'list', '-o', 'name'])).stdout).toContain('prod');
  });

  test('require an address, and let the user change a setting or cancel with Ctrl-C before the profile is created', async () => {
    const screen = terminal(['profile', 'create', 'empty', '--insecure-storage'], env);
    await screen.waitFor('Platform address (Enter to skip)');
    screen.type(KEY.enter);
    await screen.waitFor('Create profile empty');
    screen.type(KEY.enter);
    await screen.waitFor('at least one address');
    await screen.waitFor(way === 'redrawing' ? 'Environment' : 'Number or word');
    screen.type(way === 'redrawing' ? KEY.down + KEY.enter : `2${KEY.enter}`);
    await screen.waitFor('Platform address (Enter to skip)');
    screen.type(`http://127.0.0.1:1${KEY.enter}`);
    await screen.waitFor('Keep it anyway? (y/N)');
    screen.type(`y${KEY.enter}`);
    await screen.waitFor('Client id');
    screen.type(KEY.enter);
    await screen.waitFor('Token service address: http://127.0.0.1:1 (the platform address)');
    screen.type(KEY.ctrlC);
    expect(await screen.exit).toBe(130);
    expect(screen.screen()).toContain('No profile was created.');
    expect((await cli(['profile', 'list', '-o', 'name'])).stdout).not.toContain('empty');
  });

  test('ask for a missing name, and reject an invalid name when it is entered', async () => {
    const screen = terminal(['profile', 'create', ...given, '--base-url', 'https://api.example', '--yes'], env);
    await screen.waitFor('Name of the profile');
    screen.type(`local${KEY.enter}`);
    await screen.waitFor('is reserved');
    // The prompt must not be shown as answered before the error.
    expect(screen.screen()).not.toContain('✔ Name of the profile local');
    screen.type(`prod${KEY.enter}`);
    await screen.waitFor('Client id');
    screen.type(KEY.enter);
    expect(await screen.exit).toBe(0);
    expect((await cli(['profile', 'list', '-o', 'name'])).stdout).toContain('prod');
  });

  test('offer a list of values, and report after Ctrl-C at the last prompt that the profile was created', async () => {
    const flags = ['--identity-url', 'http://127.0.0.1:1', '--insecure-storage'];
    const screen = terminal(['profile', 'create', 'prod', ...flags], env);
    await screen.waitFor('Workspace key');
    screen.type(`key${KEY.enter}`);
    await screen.waitFor('Workspace secret');
    screen.type(KEY.enter);
    await screen.waitFor('Environment: none');
    // Up wraps from the first item in the list to the last, the environment.
    screen.type(way === 'redrawing' ? KEY.up + KEY.enter : `environment${KEY.enter}`);
    await screen.waitFor('development');
    screen.type(way === 'redrawing' ? KEY.down + KEY.enter : `2${KEY.enter}`);
    await screen.waitFor('Environment: development');
    screen.type(KEY.enter);
    await screen.waitFor('Test the credentials now?');
    screen.type(KEY.ctrlC);
    expect(await screen.exit).toBe(130);
    expect(screen.screen()).toContain('Profile prod was created.');
    expect((await cli(['profile', 'show', 'prod', '-o', 'json'])).stdout).toContain('development');
  });
});

describe('prompt colors', () => {
  const colors = (raw: string): boolean => /\u001b\[[39]\d?m/u.test(raw);

  test.each<[what: string, string[], Variables, boolean]>([
    ['are used by default', [], {}, true],
    ['are not used with --no-color', ['--no-color'], {}, false],
    ['are not used with NO_COLOR', [], { NO_COLOR: '1' }, false],
    ['are not used with CDPADM_NO_COLOR', [], { CDPADM_NO_COLOR: '1' }, false],
  ])('%s', async (_what, flags, env, colored) => {
    const screen = terminal(['profile', 'create', 'prod', '--insecure-storage', ...flags], env);
    await screen.waitFor('Platform address');
    screen.type(KEY.ctrlC);
    expect(await screen.exit).toBe(130);
    expect(colors(screen.raw())).toBe(colored);
  });
});
