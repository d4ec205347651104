// Assistant calls that do not depend on each other. The tests share one session and one platform, because each session
// builds the schemas of all commands, which is slow.
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordOf } from '../../../src/lib/runtime/command-line/define-command.ts';
import { runWords } from '../../../src/lib/runtime/mcp/calls.ts';
import { leavesBelow, loadProgram } from '../../helpers/command-tree.ts';
import { FIXTURES } from '../../sweeps/stage.ts';
import { type Assistant, openAssistant } from '../../helpers/mcp.ts';
import { openPlatformHome, type PlatformHome } from '../../helpers/platform-home.ts';

const RENAME = { command: 'roles update', role_id: 'support-role', name: 'Help desk' };
const SECRET = 'the content of a private file';

let home: PlatformHome;
let assistant: Assistant;
beforeAll(async () => {
  home = await openPlatformHome();
  writeFileSync(join(home.cwd, 'private.txt'), SECRET);
  home.env['PRIVATE'] = SECRET;
  assistant = await openAssistant(home, ['--allow-writes']);
});
afterAll(async () => {
  expect(await assistant.end()).toBe(0);
  await home.close();
});

const INVALID: [string, Record<string, unknown>, string][] = [
  ['nope', {}, 'Unknown tool `nope`.'],
  ['roles_read', {}, 'Missing argument `command`.'],
  ['roles_read', { command: 'roles delete' }, 'Unknown command `roles delete`.'],
  ['roles_read', { command: 'roles get' }, 'Missing argument `role_id` for `roles get`.'],
  ['roles_read', { command: 'roles get', role_id: { a: 1 } }, '`role_id` must be a string.'],
  ['roles_read', { command: 'roles get', role_id: ['a', 'b'] }, '`role_id` must be a string.'],
  ['roles_read', { command: 'roles get', role_id: 7 }, '`role_id` must be a string.'],
  ['roles_read', { command: 'roles get', id: 'a' }, 'Unknown argument `id` for `roles get`.'],
  ...['roles.yaml', '/tmp/roles', './roles', 'C:\\x\\roles.json'].map((file): (typeof INVALID)[number] => [
    'roles_read',
    { command: 'roles validate', file },
    '`file` must be the contents of the file, not its path.',
  ]),
  ['roles_write', { command: 'roles update' }, 'Missing argument `plan`. It is the id of a plan'],
  ['roles_write', { command: 'roles update', plan: {} }, '`plan` must be a string. It is the id of a plan'],
  ['roles_read', { command: 'roles diff' }, 'Missing argument `file` for `roles diff`.'],
  ['roles_read', { command: 'roles validate', file: 'roles: []\n', online: 'yes' }, '`online` must be true or false.'],
  ['warehouse_read', { command: 'warehouse diff', dir: 'sync' }, '`dir` must be an object that maps paths to text.'],
  [
    'warehouse_read',
    { command: 'warehouse diff', dir: { '../a.yaml': '' } },
    '`../a.yaml` must be a non-empty relative path',
  ],
  ['seed_read', { command: 'seed preview', file: 'a', format: '/../../../escaped' }, '--format'],
  ['seed_read', { command: 'seed preview', file: 'a', row: 9007199254740993n.toString() + 'x' }, '--row'],
];
it.each(INVALID)('rejects %s %j as a usage error', async (name, values, message) => {
  const { isError, error, text } = await assistant.call(name, values);
  expect({ isError, code: error.code }).toEqual({ isError: true, code: 'usage' });
  expect(error.message).toContain(message);
  expect(text).toContain('"code":"usage"');
});

it('removes GITHUB_ACTIONS from the environment, because the workflow log does not show the output', async () => {
  const seen: unknown[] = [];
  const ctx = {
    io: { env: { GITHUB_ACTIONS: 'true', KEPT: 'yes' } },
    flags: {},
    runCommand: (_words: unknown, io: { env: object }) => Promise.resolve(seen.push(io.env)),
  } as unknown as Parameters<typeof runWords>[0];
  await runWords(ctx, ['version'], new AbortController().signal, home.cwd);
  expect(seen).toEqual([{ GITHUB_ACTIONS: undefined, KEPT: 'yes' }]);
});

it('never uses the format argument as a path', async () => {
  const name = `escaped-${randomUUID()}`;
  await assistant.call('seed_read', { command: 'seed preview', file: 'a', format: `/../../${name}` });
  await assistant.call('seed_read', { command: 'seed preview', file: 'a', format: `/../../../${name}` });
  expect([tmpdir(), dirname(tmpdir())].filter((folder) => existsSync(join(folder, name)))).toEqual([]);
});

it.each<[name: string, values: Record<string, unknown>, hint: string]>([
  ['roles_read', { command: 'roles get' }, 'Pass `role_id`: id of the role.'],
  ['roles_read', { command: 'roles validate' }, 'Pass `file`: the content itself, not a path: '],
  ['roles_read', { command: 'roles list', id: 'a' }, 'This command has no arguments. Omit `id`.'],
  ['roles_read', { command: 'roles list', profile: 'a' }, 'Omit it: the command that starts this server sets'],
  ['roles_read', { command: 'roles get', workspace: '1' }, 'Omit it: the command that starts this server sets'],
])('prints a hint that names the arguments to pass or omit for %s %j', async (name, values, hint) => {
  expect((await assistant.call(name, values)).error.hint).toContain(hint);
});

it.each(['--help', '--profile=other', '-h', '--', '__complete'])('treats %s as an id, not a flag', async (id) => {
  const { error } = await assistant.call('roles_read', { command: 'roles get', role_id: id });
  expect(error.code).toBe('roles.not_found');
});

describe('private data on this machine', () => {
  const submit = (value: string) => ({
    command: 'dsr submit',
    regulation: 'gdpr',
    type: 'access',
    identity: [`email=${value}`],
  });
  const model = (path: string) => ({
    command: 'data-models create',
    file: `id: m\nname: M\ntype: sql\nconfig: {sql_file: ${path}}\n`,
  });
  const create = (password: string) => ({ command: 'connections create', file: connection(password) });
  it.each<[title: string, tool: string, valuesOf: (path: string) => Record<string, unknown>, code: string]>([
    ['as an identity', 'dsr_plan', (path) => submit(`@${path}`), 'files.read'],
    ['as an identity by a relative path', 'dsr_plan', () => submit('@private.txt'), 'files.read'],
    ['as a query', 'warehouse_plan', model, 'input.invalid'],
    ['as a query by a relative path', 'warehouse_plan', () => model('../../private.txt'), 'input.invalid'],
    ['as a password', 'warehouse_plan', (path) => create(`file:${path}`), 'references.not_allowed'],
    ['from a variable', 'warehouse_plan', () => create('env:PRIVATE'), 'references.not_allowed'],
    ['by a command', 'warehouse_plan', () => create('command:cat private.txt'), 'references.not_allowed'],
    ['as a manifest', 'roles_read', (path) => ({ command: 'roles diff', file: path }), 'usage'],
    ['as rows', 'seed_read', (path) => ({ command: 'seed preview', file: path }), 'usage'],
  ])('is not read %s', async (_title, tool, valuesOf, code) => {
    const path = join(home.cwd, 'private.txt');
    const before = await home.writes();
    const { error } = await assistant.call(tool, valuesOf(path));
    expect(error.code).toBe(code);
    expect(assistant.written()).not.toContain(SECRET);
    expect(await home.writes()).toEqual(before);
  });

  function connection(password: string): string {
    const config = { host: 'w.example', database: 'd', user: 'u', cloud_iam_role_arn: 'r', password };
    return JSON.stringify({ id: 'c', name: 'C', state: 'active', service_provider: 'PROVIDER_C', config });
  }
});

describe('a write', () => {
  const REJECTED: [string, string, (plan: string) => Record<string, unknown>, string][] = [
    ['without a plan', 'roles_write', () => ({ command: 'roles update' }), 'usage'],
    ['with an invented plan', 'roles_write', () => ({ command: 'roles update', plan: 'f'.repeat(32) }), 'mcp.no_plan'],
    ['with a plan for another command', 'roles_write', (plan) => ({ command: 'roles delete', plan }), 'mcp.no_plan'],
    ['with a plan for another area', 'groups_write', (plan) => ({ command: 'groups delete', plan }), 'mcp.no_plan'],
    ['with other arguments', 'roles_write', (plan) => ({ command: 'roles update', plan, name: 'Other' }), 'usage'],
    ['with a guard flag', 'roles_write', (plan) => ({ command: 'roles update', plan, allow_delete: true }), 'usage'],
  ];

  it.each(REJECTED)('is rejected %s, and nothing is sent', async (_title, tool, valuesOf, code) => {
    const before = await home.received('PUT');
    const { plan } = await assistant.planned('roles_plan', RENAME);
    const { isError, error } = await assistant.call(tool, valuesOf(plan));
    expect({ isError, code: error.code }).toEqual({ isError: true, code });
    expect(await home.received('PUT')).toBe(before);
  });
});

it('does not let a plan override a guard', async () => {
  const {
    error,
    plan,
    warnings,
    exit_code: code,
  } = await assistant.call('roles_plan', {
    command: 'roles push',
    file: 'roles: []\n',
  });
  expect({ code, plan }).toEqual({ code: 12, plan: undefined });
  expect(error.code).toMatch(/^roles\.guard/);
  // The hint for users names a flag that no tool accepts, so assistants get a different hint.
  expect(error.hint).toBe('An assistant cannot override a guard. Ask the user to run the command in a terminal.');
  expect(JSON.stringify({ error, warnings })).not.toContain('--allow');
  const flag = await assistant.call('roles_plan', { command: 'roles push', file: 'roles: []\n', allow_delete: true });
  expect(flag).toMatchObject({ isError: true, error: { code: 'usage' } });
});

it('accepts a count as a number or a string of digits, and declares it as an integer', async () => {
  const { tools } = await assistant.client.listTools();
  const properties = tools.flatMap(({ inputSchema }) => Object.entries(inputSchema.properties ?? {}));
  const counts = properties.filter(([name]) => /^(?:limit|page|page_size|row|offset)$/.test(name));
  expect(counts.length).toBeGreaterThan(4);
  for (const [, schema] of counts) expect(schema).toMatchObject({ type: 'integer' });
  for (const limit of [1, '1']) {
    const { data, error } = await assistant.call('log_read', { command: 'log', limit });
    expect({ error, isList: Array.isArray(data) }).toEqual({ error: undefined, isList: true });
  }
  const row = { command: 'seed preview', file: 'xpid,environment\n1,development\n2,development\n', row: 2 };
  expect((await assistant.call('seed_read', row)).error).toBeUndefined();
  for (const limit of [1.5, true, [1]])
    expect((await assistant.call('log_read', { command: 'log', limit })).error.message).toBe(
      '`limit` must be a whole number.',
    );
});

it('does not return a plan if nothing would change', async () => {
  const { plan, isError } = await assistant.call('roles_plan', { ...RENAME, name: 'Support' });
  expect({ plan, isError }).toEqual({ plan: null, isError: false });
});

it('offers no plan for a rename, which always needs a guard that an assistant cannot override', async () => {
  const { error } = await assistant.call('roles_plan', {
    command: 'roles rename',
    old_id: 'user-role',
    new_id: 'person',
  });
  expect(error.message).toBe('Unknown command `roles rename`.');
});

/** The planning call for each command that only a person can confirm. */
const BY_PERSON: Record<string, [tool: string, values: Record<string, unknown>, confirm: string]> = {
  'pipelines reset': ['warehouse_plan', { pipeline_id: 'customers' }, 'customers'],
};
const marked = leavesBelow(await loadProgram()).filter(([, command]) => recordOf(command)?.byPerson === true);
it.each(marked.map(([path]) => path))('requires a person to confirm %s in a terminal', async (command) => {
  const [tool = '', values, confirm = ''] = BY_PERSON[command] ?? [];
  const other = await openPlatformHome({ fixtures: FIXTURES });
  const session = await openAssistant(other, ['--allow-writes']);
  const { plan, warnings, data } = await session.call(tool, { command, ...values });
  expect(plan).toBeNull();
  expect(data).toMatchObject({ requests: [{ method: 'POST' }] });
  const line = [command, ...Object.values(values ?? {})].join(' ');
  expect(warnings).toContain(`The user must run this command in a terminal: cdpadm ${line}`);
  const { error } = await session.call(tool.replace('_plan', '_write'), { command, plan: 'f' });
  expect(error.message).toBe(`Unknown command \`${command}\`.`);
  expect(await session.end()).toBe(0);
  const before = await other.writes();
  const unconfirmed = await other.run(`${line} --yes`);
  expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining(`--confirm ${confirm}`) });
  expect((await other.run(`${line} --yes --confirm other`)).code).toBe(2);
  expect(await other.writes()).toEqual(before);
  expect((await other.run(`${line} --confirm ${confirm}`)).code).toBe(0);
  await other.close();
});

const WRITES: [tool: string, values: Record<string, unknown>][] = [
  ['dsr_plan', { command: 'dsr submit', regulation: 'gdpr', type: 'access', identity: ['email=jane@people.example'] }],
  [
    'seed_plan',
    {
      command: 'seed set',
      file: '{"environment":"development","xpid":"9007199254740993","calculated_attributes":{"3001":[]}}',
    },
  ],
  [
    'seed_plan',
    {
      command: 'intake identify',
      file: '{"environment":"development","user_identities":{"email":"j@people.example"},"user_attributes":{"city":"Ulm"}}',
    },
  ],
  [
    'seed_plan',
    {
      command: 'intake event',
      file: '{"environment":"development","user_identities":{"customer_id":"1"},"events":[{"event_type":"custom_event","data":{}}]}',
    },
  ],
  [
    'groups_plan',
    {
      command: 'groups create',
      file: '{"id":"household","source_user_attribute":"household_id","attributes":[{"id":"city","type":"latest"}]}',
    },
  ],
  [
    'warehouse_plan',
    { command: 'data-models create', file: 'id: m\nname: M\ntype: sql\nconfig:\n  sql_query: select 1\n' },
  ],
  [
    'warehouse_plan',
    {
      command: 'warehouse apply',
      dir: { 'data-models/n.yaml': 'id: n\nname: N\ntype: sql\nconfig:\n  sql_query: select 1\n' },
    },
  ],
  ['roles_plan', { command: 'roles create', role_id: 'auditor', description: 'Audits', task: ['audiences:view'] }],
];

it.each(WRITES)('performs the write that was planned with %s %j', async (tool, values) => {
  const plan = await assistant.planned(tool, values);
  const before = (await home.writes()).length;
  const { error, isError } = await assistant.call(tool.replace('_plan', '_write'), plan);
  expect({ error, isError }).toEqual({ error: undefined, isError: false });
  expect((await home.writes()).length).toBeGreaterThan(before);
});
