// Custom roles on the embedded platform: every rule and message in the specification.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ROLE_FAILURES } from '../../../../src/lib/contract/failures.ts';
import { PERMISSIONS } from '../../../../src/lib/contract/role-catalog.ts';
import { ManifestReply, type Role } from '../../../../src/lib/contract/roles.ts';
import { openDatabase } from '../../../../src/lib/emulator/base/db.ts';
import { createRolesStore, rolesMigrations } from '../../../../src/lib/emulator/stores/roles.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import { startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';
import { opened } from '../../../helpers/opened.ts';

let emulator: TestEmulator;
let roles: string;
beforeAll(async () => {
  emulator = await startTestEmulator({
    systemClock: createTestClock(Date.parse('2026-03-01T12:00:00.750Z')),
    fixtures: {
      limits: { roles_per_minute: 10_000 },
      roles: [role('kept'), role('held')],
      role_assignments: [{ role_id: 'held', user: 'holder@platform.example' }],
    },
  });
  roles = `${emulator.accountPath}/roles`;
});
afterAll(() => emulator.close());
beforeEach(() => emulator.reset());

function role(id: string, change: Record<string, unknown> = {}) {
  return {
    role_id: id,
    name: `Role ${id}`,
    description: `What ${id} is for`,
    tasks: [{ task_id: 'audiences:view' }],
    ...change,
  };
}

const HELD = role('held');
const read = async () => ManifestReply.parse((await emulator.call('GET', roles)).json);
const put = (body: unknown) => emulator.call('PUT', roles, { body });
const messagesOf = (json: unknown) => (json as { errors: { message: string }[] }).errors.map(({ message }) => message);

describe('GET tasks', () => {
  test('lists the tasks of the permission reference', async () => {
    const { status, json } = await emulator.call('GET', `${emulator.accountPath}/tasks`);
    const tasks = json as { task_id: string; display_name: string; description: string }[];
    expect(status).toBe(200);
    expect(tasks.map(({ task_id }) => task_id)).toEqual(PERMISSIONS.map(({ task_id }) => task_id));
    expect(tasks[3]).toEqual({
      task_id: 'user_groups:*',
      display_name: 'Group Identities: Full access',
      description: 'edit and delete group identities',
    });
  });
});

describe('PUT', () => {
  test('replaces all roles with the uploaded roles', async () => {
    const upload = [role('new'), role('held', { description: 'changed' })];
    const reply = await put({ roles: upload });
    expect(reply.status).toBe(200);
    const manifest = await read();
    expect(reply.json).toEqual(manifest);
    expect(manifest.roles.map(({ role_id, description }) => [role_id, description])).toEqual([
      ['new', 'What new is for'],
      ['held', 'changed'],
    ]);
  });

  test("stamps the manifest with the UTC time in whole seconds and the client's email address", async () => {
    await put({ roles: [HELD] });
    expect(await read()).toMatchObject({
      last_modified_on: '2026-03-01 12:00:00',
      last_modified_by: 'local-client@platform.example',
    });
  });

  test('adds a missing `user:core` task, keeps the position of an existing one, and removes duplicate tasks', async () => {
    const tasks = (...ids: string[]) => ids.map((task_id) => ({ task_id }));
    await put({
      roles: [
        HELD,
        role('a', { tasks: [] }),
        role('b', { tasks: tasks('rules:*', 'user:core') }),
        role('c', { tasks: tasks('rules:*', 'tieredevents:*', 'rules:*') }),
      ],
    });
    expect((await read()).roles.slice(1).map((kept) => kept.tasks)).toEqual([
      tasks('user:core'),
      tasks('rules:*', 'user:core'),
      tasks('user:core', 'rules:*', 'tieredevents:*'),
    ]);
  });

  test('ignores unknown fields', async () => {
    const reply = await put({ roles: [{ ...HELD, color: 'red' }], version: 7 });
    expect(reply.status).toBe(200);
    const manifest = await read();
    expect(Object.keys(manifest)).toEqual(['roles', 'last_modified_on', 'last_modified_by']);
    expect(Object.keys(manifest.roles[0] ?? {})).toEqual(['role_id', 'name', 'description', 'tasks']);
  });

  test.each([
    ['ordinary punctuation', { name: 'Admin & Compliance - (EU), No. 5/7' }],
    ['64 characters beyond the basic plane', { name: '😀'.repeat(64) }],
    ['a description of 256 characters', { description: 'ä'.repeat(256) }],
    ['any character in a description', { description: '<b>"bold"</b>\n\\ \u0000' }],
  ])('accepts %s', async (_what, change) => {
    const reply = await put({ roles: [HELD, role('a', change)] });
    expect(reply.status).toBe(200);
    expect((await read()).roles[1]).toMatchObject(change);
  });

  test('accepts a new role with the name of a deleted role', async () => {
    expect((await put({ roles: [HELD, role('renamed', { name: 'Role kept' })] })).status).toBe(200);
  });

  test('accepts two roles that swap their names', async () => {
    const swapped = [role('kept', { name: 'Role held' }), role('held', { name: 'Role kept' })];
    expect((await put({ roles: swapped })).status).toBe(200);
  });

  const { assigned, invalidField, tasksNotFound, invalidJson, conflict } = ROLE_FAILURES;
  const many = (count: number): Partial<Role>[] => Array.from({ length: count }, (_, index) => role(`r${index}`));
  const rejections: [string, unknown, { status: number; message: string }, string[]][] = [
    ['an empty id', { roles: [role('')] }, invalidField, ['roles[0].role_id is empty']],
    ['a blank name', { roles: [role('a', { name: '  ' })] }, invalidField, ['roles[0].name is empty']],
    [
      'an empty description',
      { roles: [role('a', { description: '' })] },
      invalidField,
      ['roles[0].description is empty'],
    ],
    [
      'a role without a description',
      { roles: [role('a', { description: undefined })] },
      invalidField,
      ['roles[0].description is missing'],
    ],
    [
      'a name that is not a string',
      { roles: [role('a', { name: 5 })] },
      invalidField,
      ['roles[0].name must be a string, not a number; put it in quotes'],
    ],
    [
      'an id of 65 characters',
      { roles: [role('a'.repeat(65), { name: 'A' })] },
      invalidField,
      ['roles[0].role_id has 65 characters; at most 64 are allowed'],
    ],
    [
      'a name of 65 characters',
      { roles: [role('a', { name: 'n'.repeat(65) })] },
      invalidField,
      ['roles[0].name has 65 characters; at most 64 are allowed'],
    ],
    [
      'a description of 257 characters',
      { roles: [role('a', { description: 'd'.repeat(257) })] },
      invalidField,
      ['roles[0].description has 257 characters; at most 256 are allowed'],
    ],
    [
      'several errors at once',
      { roles: [role(''), role('b', { name: '' })] },
      invalidField,
      ['roles[0].role_id is empty', 'roles[1].name is empty'],
    ],
    ...['<', '>', '"', "'", '\\', '`'].map(
      (character): [string, unknown, { status: number; message: string }, string[]] => [
        `${character} in a name`,
        { roles: [role('a', { name: `A${character}` })] },
        invalidField,
        [`roles[0].name contains the restricted character ${character}`],
      ],
    ),
    [
      '< in an id',
      { roles: [role('a<', { name: 'A' })] },
      invalidField,
      ['roles[0].role_id contains the restricted character <'],
    ],
    [
      'a control character in a name',
      { roles: [role('a', { name: 'A\u0007' })] },
      invalidField,
      ['roles[0].name contains a control character'],
    ],
    [
      'a line break in an id',
      { roles: [role('a\nb', { name: 'A' })] },
      invalidField,
      ['roles[0].role_id contains a control character'],
    ],
    [
      'unknown tasks, each reported once,',
      {
        roles: [
          role('a', { tasks: [{ task_id: 'x:y' }, { task_id: 'rules:*' }] }),
          role('b', { tasks: [{ task_id: 'x:y' }, { task_id: 'Rules:*' }] }),
        ],
      },
      tasksNotFound,
      ['x:y, Rules:*'],
    ],
    [
      '101 roles',
      { roles: many(101) },
      { status: 400, message: 'Too many custom roles' },
      ['roles has 101; at most 100 are allowed per organization'],
    ],
    [
      'a duplicate id',
      { roles: [role('a'), role('a', { name: 'Other' })] },
      conflict,
      ['roles[1].role_id is already used by another role: a'],
    ],
    [
      'a duplicate name',
      { roles: [role('a'), role('b', { name: 'Role a' })] },
      conflict,
      ['roles[1].name is already used by another role: Role a'],
    ],
    ['the deletion of an assigned role', { roles: [role('kept')] }, assigned, ['held']],
    ['an empty manifest while a role is assigned', { roles: [] }, assigned, ['held']],
    ['a manifest without roles', {}, invalidJson, ['roles is missing']],
    ['roles that are not a list', { roles: { a: 1 } }, invalidJson, ['roles must be a list, not an object']],
    ['a role without tasks', { roles: [role('a', { tasks: undefined })] }, invalidJson, ['roles[0].tasks is missing']],
    [
      'a task without an id',
      { roles: [role('a', { tasks: ['rules:*'] })] },
      invalidJson,
      ['roles[0].tasks[0] must be an object, not a string'],
    ],
    ['a list as manifest', [], invalidJson, ['must be an object, not a list']],
  ];
  test.each(rejections)('rejects %s and changes nothing', async (_what, body, failure, details) => {
    const before = await read();
    const reply = await put(body);
    expect(reply.status).toBe(failure.status);
    expect(reply.json).toEqual({
      statusCode: failure.status,
      errors: details.map((detail) => ({ message: `${failure.message}: ${detail}` })),
    });
    expect(await read()).toEqual(before);
  });

  test.each([
    ['truncated', '{"roles": ['],
    ['empty', ''],
    ['ended by a trailing comma', '{"roles":[],}'],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['nested too deeply', '['.repeat(2000)],
  ])('rejects a body that is %s', async (_what, body) => {
    const reply = await put(body);
    expect(reply.status).toBe(400);
    expect(messagesOf(reply.json)[0]).toMatch(/^Invalid JSON syntax in custom role manifest: (not valid|nested)/);
  });

  test('accepts a byte order mark and 100 roles', async () => {
    const manifest = { roles: [HELD, ...Array.from({ length: 99 }, (_, index) => role(`r${index}`))] };
    expect((await put(`\uFEFF${JSON.stringify(manifest)}`)).status).toBe(200);
  });

  test('rejects a body larger than 1 MiB', async () => {
    const reply = await emulator.call('PUT', roles, { body: Buffer.alloc(2 * 1024 * 1024, ' ') }).catch(String);
    // The connection can close before the client has read the response.
    if (typeof reply !== 'string') expect(reply.status).toBe(413);
    expect((await emulator.api.requests()).at(-1)).toMatchObject({ method: 'PUT', status: 413 });
  });
});

describe("an organization's manifest", () => {
  let two: TestEmulator;
  beforeAll(async () => {
    two = await startTestEmulator({
      fixtures: {
        organizations: [{ id: 1 }, { id: 2 }, { id: 3, client_id: 'other', client_secret: 'secret' }],
        accounts: [{ id: 11 }, { id: 12 }, { id: 21, org_id: 2 }, { id: 31, org_id: 3 }],
        roles: [role('first'), { ...role('second'), org_id: 2 }],
      },
    });
  });
  afterAll(() => two.close());

  const pathOf = (org: number | string, account: number) =>
    `/platform/v2/organizations/${org}/accounts/${account}/roles`;
  const idsOf = async (path: string) =>
    ManifestReply.parse((await two.call('GET', path)).json).roles.map(({ role_id }) => role_id);

  test('is shared by all accounts of the organization', async () => {
    await two.call('PUT', pathOf(1, 12), { body: { roles: [role('by-12')] } });
    expect(await idsOf(pathOf(1, 11))).toEqual(['by-12']);
    expect(await idsOf(pathOf(2, 21))).toEqual(['second']);
  });

  test.each([
    [404, 'an unknown organization', pathOf(9, 11), 'Not found: organization 9'],
    [404, 'an organization that is not a number', pathOf('one', 11), 'Not found: organization one'],
    [404, 'an unknown account', pathOf(1, 99), 'Not found: account 99 in organization 1'],
    [404, "another organization's account", pathOf(1, 21), 'Not found: account 21 in organization 1'],
    [403, "another client's organization", pathOf(3, 31), 'Forbidden: organization 3'],
  ])('returns %i for %s', async (status, _what, path, message) => {
    const reply = await two.call('GET', path);
    expect([reply.status, messagesOf(reply.json)]).toEqual([status, [message]]);
  });
});

describe('a platform without fixtures', () => {
  test('returns sample roles, accepts them unchanged, and protects the assigned role', async () => {
    const plain = await opened(startTestEmulator());
    const path = `${plain.accountPath}/roles`;
    const { json } = await plain.call('GET', path);
    const manifest = ManifestReply.parse(json);
    expect(manifest.roles.map(({ role_id }) => role_id)).toEqual([
      'user-role',
      'admin-role',
      'audiences-only-role',
      'read-only-role',
      'support-role',
    ]);
    expect((await plain.call('PUT', path, { body: manifest })).status).toBe(200);
    const without = manifest.roles.filter(({ role_id }) => role_id !== 'support-role');
    const rejected = await plain.call('PUT', path, { body: { roles: without } });
    expect(messagesOf(rejected.json)).toEqual([`${ROLE_FAILURES.assigned.message}: support-role`]);
  });
});

test('does not lose a manifest or an assignment if it is killed during a change', async () => {
  const db = await openDatabase(undefined);
  for (const step of rolesMigrations) db.exec(step);
  let left = Infinity;
  const untilKilled = <T>(write: () => T): T => {
    if (left-- <= 0) throw new Error('killed');
    return write();
  };
  const store = createRolesStore({
    ...db,
    run: (...given) => untilKilled(() => db.run(...given)),
    insert: (...given) => untilKilled(() => db.insert(...given)),
  });
  const assign = () => store.assign({ org_id: 1, role_id: 'held', user: 'holder@platform.example' });
  const replace = (id: string) => store.replace(1, [{ ...role(id), tasks: [] }], 0, 'admin@platform.example');
  const manifests = [replace('new'), replace('old')];
  assign();
  for (const change of [() => replace('new'), assign]) {
    left = 1;
    try {
      change();
    } catch (error) {
      expect(error).toHaveProperty('message', 'killed');
    }
    expect(manifests).toContain(store.read(1));
    expect(store.assigned(1)).toEqual(['held']);
  }
  db.close();
});
