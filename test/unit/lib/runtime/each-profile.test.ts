// If `--profile` is repeated, read-only commands and `dsr submit` return one combined result; all others are rejected.
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { environmentOf } from '../../../../src/lib/runtime/emulator/environment.ts';
import { helpOf } from '../../../../src/lib/runtime/command-line/help.ts';
import { type CliHome, type CliResult, createCliHome } from '../../../helpers/cli.ts';
import { leavesBelow, loadProgram } from '../../../helpers/command-tree.ts';
import { startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';

const leaves = leavesBelow(await loadProgram());
const BOTH = ['--profile', 'one', '--profile', 'two'];

let home: CliHome;
let one: TestEmulator;
let two: TestEmulator;
const cli = (args: string[]): Promise<CliResult> => home.run(args, { env: { CDP_SECRET: one.ready.client_secret } });

beforeAll(async () => {
  home = createCliHome();
  [one, two] = await Promise.all([startTestEmulator(), startTestEmulator()]);
  for (const [name, { ready }] of [
    ['one', one],
    ['two', two],
  ] as const) {
    const { CDPADM_CLIENT_ID: client = '' } = environmentOf(ready);
    const addresses = ['--base-url', ready.base_url, '--auth-url', ready.auth_url];
    const ids = ['--org', String(ready.org_id), '--account', String(ready.account_id)];
    const created = await cli([
      'profile',
      'create',
      name,
      ...addresses,
      ...ids,
      '--client-id',
      client,
      '--client-secret-env',
      'CDP_SECRET',
    ]);
    expect(created.code, created.stderr).toBe(0);
  }
  const create = ['roles', 'create', 'second-only', '--name', 'Two', '--description', 'D', '--task', 'audiences:view'];
  expect((await cli([...create, '--yes', '--profile', 'two'])).code).toBe(0);
});
afterAll(async () => {
  await Promise.all([one.close(), two.close()]);
  home.remove();
});

describe('a list from several profiles', () => {
  test('starts with a profile column, and follows the order of the flags', async () => {
    const { code, stdout } = await cli([
      'roles',
      'list',
      '--profile',
      'two',
      '--profile',
      'one',
      '--fields',
      'profile,role_id',
    ]);
    const rows = stdout.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(rows[0]).toBe('PROFILE\tROLE ID');
    expect(rows).toContain('two\tsecond-only');
    expect(rows).not.toContain('one\tsecond-only');
    expect(rows[1]).toMatch(/^two\t/);
    expect(rows.at(-1)).toMatch(/^one\t/);
  });

  test.each(['csv', 'markdown', 'name', 'table'])('includes the profile in each row with -o %s', async (format) => {
    const { code, stdout } = await cli(['roles', 'list', ...BOTH, '-o', format]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/two.*second-only/);
    expect(stdout).not.toMatch(/one.*second-only/);
  });

  test.each(['json', 'yaml', 'ndjson'])('includes the name and data of each profile with -o %s', async (format) => {
    const { code, stdout } = await cli(['roles', 'list', ...BOTH, '-o', format]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/one[^]*two[^]*second-only/);
  });

  test('contains the same JSON data for each profile as a list from that profile alone', async () => {
    const { stdout } = await cli(['roles', 'list', ...BOTH, '-o', 'json']);
    const alone = async (profile: string): Promise<unknown> =>
      JSON.parse((await cli(['roles', 'list', '--profile', profile, '-o', 'json'])).stdout);
    expect(JSON.parse(stdout)).toEqual([
      { profile: 'one', data: await alone('one') },
      { profile: 'two', data: await alone('two') },
    ]);
  });

  test('is combined before --query is applied', async () => {
    const query = "[?profile=='two'].data[].role_id | [?@=='second-only']";
    const { stdout } = await cli(['roles', 'list', ...BOTH, '-o', 'json', '--query', query]);
    expect(JSON.parse(stdout)).toEqual(['second-only']);
  });
});

test.each(['table', 'markdown', 'json', 'csv'])(
  'prints a document in one part per profile with -o %s',
  async (format) => {
    const { code, stdout } = await cli(['roles', 'explain', 'user-role', ...BOTH, '-o', format]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\bone\b[^]*\btwo\b/);
  },
);

describe('a profile that fails', () => {
  test('is reported with the reason and sets the exit code, but does not hide the results of the other profiles', async () => {
    const { code, stdout, stderr } = await cli(['roles', 'get', 'second-only', ...BOTH, '--fields', 'profile,role_id']);
    expect(code).toBe(5);
    expect(stdout).toBe('PROFILE\tROLE ID\ntwo\tsecond-only\n');
    expect(stderr).toContain('failed for 1 of 2 profiles');
    expect(stderr).toMatch(/one: .*second-only/);
  });

  test('is included in the JSON with its error', async () => {
    const { code, stdout, stderr } = await cli([
      'roles',
      'get',
      'second-only',
      ...BOTH,
      '--profile',
      'none',
      '-o',
      'json',
    ]);
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject([
      { profile: 'one', error: { code: 'roles.not_found' } },
      { profile: 'two', data: { role_id: 'second-only' } },
      { profile: 'none', error: { code: 'usage' } },
    ]);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'profiles.failed', issues: [{ path: 'one' }, { path: 'none' }] },
    });
  });
});

test('treats a profile that is given twice as one profile', async () => {
  const twice = await cli(['roles', 'list', '--profile', 'one', '--profile', 'one', '-o', 'json']);
  expect(twice.stdout).toBe((await cli(['roles', 'list', '--profile', 'one', '-o', 'json'])).stdout);
});

test('names the flags that allow only one profile', async () => {
  for (const [line, flags] of [
    ['dsr submit --bulk x.csv --wait', '--bulk and --wait'],
    ['dsr status 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 --watch', '--watch'],
  ] as const) {
    const { code, stderr } = await cli([...line.split(' '), ...BOTH]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`accepts only one --profile with ${flags}.`)]);
  }
});

describe('a command that cannot combine results', () => {
  const others = leaves.filter(([, command]) => !helpOf(command)?.reads && !helpOf(command)?.severalProfiles);

  test('is one of more than 50 such commands, and more than 25 other commands can combine results', () => {
    expect(others.length).toBeGreaterThan(50);
    expect(leaves.length - others.length).toBeGreaterThan(25);
  });

  // `help` is excluded, because it is printed before any command runs.
  test.each(others.filter(([path]) => path !== 'help'))('accepts only one profile: %s', async (path, command) => {
    const words = command.registeredArguments.filter(({ required }) => required);
    const flags = command.options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long ?? '', 'x']);
    const args = words.map(({ argChoices }) => argChoices?.[0] ?? 'x');
    const before = (await one.api.requests()).length;
    const { code, stderr } = await cli([...path.split(' '), ...args, ...flags, ...BOTH, '--yes']);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('accepts only one --profile') as string,
    });
    expect((await one.api.requests()).length).toBe(before);
  });

  test('accepts only one profile: dsr status --watch', async () => {
    expect((await cli(['dsr', 'status', 'x', '--watch', ...BOTH])).code).toBe(2);
  });

  test('accepts only one profile: roles matrix -o html', async () => {
    expect((await cli(['roles', 'matrix', '-o', 'html', ...BOTH])).stderr).toContain('can show only one profile');
  });
});

test.each([
  ['the results of all profiles', 'roles list', 0],
  ['an error among the results', 'roles get second-only', 5],
  ['a document', 'profile show', 0],
])("prints %s, and each result matches the command's schema", async (_what, line, exit) => {
  const schema = await cli(['schema', 'output', ...line.split(' ').slice(0, 2)]);
  const data = JSON.parse(schema.stdout) as object;
  const part = (key: string, value: object) => {
    return { type: 'object', properties: { profile: { type: 'string' }, [key]: value }, required: ['profile', key] };
  };
  const error = { type: 'object', required: ['code', 'message'] };
  const schemas = { type: 'array', items: { oneOf: [part('data', data), part('error', error)] } };
  const validate = new Ajv({ strict: false }).compile(schemas);
  const { code, stdout } = await cli([...line.split(' '), ...BOTH, '-o', 'json']);
  expect(code).toBe(exit);
  expect(validate(JSON.parse(stdout)), JSON.stringify(validate.errors)).toBe(true);
});
