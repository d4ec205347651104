// Groups on the embedded platform: every rule and status for group definitions, and the weekly refresh.
import { beforeEach, describe, expect, test } from 'vitest';
import { startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';
import { opened } from '../../../helpers/opened.ts';

const DEFINITION = {
  id: 'household',
  description: 'People who live together',
  source_user_attribute: 'household_id',
  attributes: [{ id: 'is_member', type: 'boolean_or' }],
};
const T0 = '2026-03-01T00:00:00.000Z';

let emulator: TestEmulator;
let path: string;
beforeEach(async () => {
  emulator = await opened(startTestEmulator({ clock: 'manual', fixtures: { profiles: people() } }));
  await emulator.api.set(T0);
  path = `/platform/workspaces/${emulator.ready.workspace_id}/groups/`;
});

/** Twelve members of one household, one member of another, and a profile without a household. */
function people() {
  const person = (index: number, user_attributes: Record<string, unknown>) => ({
    xpid: index,
    identities: { email: `p${index}@people.example` },
    user_attributes,
  });
  return [
    ...Array.from({ length: 12 }, (_, index) => person(index + 1, { household_id: 'h-1', points: index + 1 })),
    person(13, { household_id: 'h-2', points: '5', is_member: 'true', city: 'Here' }),
    person(14, { points: 1 }),
  ];
}

async function create(body: unknown = DEFINITION) {
  return emulator.call('POST', path, { body });
}

async function groupAttributesOf(xpid: number): Promise<Record<string, unknown>> {
  const reply = await emulator.send('GET', `/_control/profiles?xpid=${xpid}`);
  const [profile] = reply.json as { group_attributes: Record<string, unknown> }[];
  return profile?.group_attributes ?? {};
}

describe('group definitions', () => {
  test('are created, read, changed and deleted', async () => {
    const by = `${emulator.ready.client_id}@platform.example`;
    const audit = { created_on: T0, created_by: by, last_modified_on: T0, last_modified_by: by };
    const created = await create();
    expect([created.status, created.json]).toEqual([200, { ...DEFINITION, ...audit }]);
    expect((await emulator.call('GET', path)).json).toEqual([{ ...DEFINITION, ...audit }]);

    await emulator.api.advance('1h');
    const later = { last_modified_on: '2026-03-01T01:00:00.000Z' };
    const attributes = [{ id: 'points', type: 'sum' }];
    const patched = await emulator.call('PATCH', `${path}household`, { body: { attributes } });
    expect([patched.status, patched.json]).toEqual([200, { ...DEFINITION, attributes, ...audit, ...later }]);

    const replaced = await emulator.call('PUT', `${path}household`, {
      body: { source_user_attribute: 'city', attributes: [] },
    });
    const expected = { ...DEFINITION, description: '', source_user_attribute: 'city', attributes: [] };
    expect([replaced.status, replaced.json]).toEqual([200, { ...expected, ...audit, ...later }]);
    expect((await emulator.call('GET', `${path}household`)).json).toEqual(replaced.json);

    const deleted = await emulator.call('DELETE', `${path}household`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await emulator.call('GET', `${path}household`)).status).toBe(404);
    expect((await emulator.call('GET', path)).json).toEqual([]);
  });

  test('are accepted in the form that the platform returns, with unknown fields ignored', async () => {
    const created = (await create()).json as Record<string, unknown>;
    const body = { ...created, description: 'Changed', version: 7 };
    const reply = await emulator.call('PUT', `${path}household`, { body });
    expect([reply.status, reply.json]).toEqual([200, { ...created, description: 'Changed' }]);
  });

  test.each<[string, unknown, string]>([
    ['an id that is too short', { ...DEFINITION, id: 'ab' }, 'id has 2 characters; at least 3 are needed'],
    ['an id that is too long', { ...DEFINITION, id: 'a'.repeat(33) }, 'at most 32 are allowed'],
    ['no id', { ...DEFINITION, id: undefined }, 'id is missing'],
    ['a long description', { ...DEFINITION, description: 'a'.repeat(256) }, 'at most 255 are allowed'],
    ['no source', { ...DEFINITION, source_user_attribute: undefined }, 'source_user_attribute is missing'],
    ['no attributes', { ...DEFINITION, attributes: undefined }, 'attributes is missing'],
    ['eleven attributes', { ...DEFINITION, attributes: many(11) }, 'at most 10 are allowed per group'],
    ['an empty attribute id', { ...DEFINITION, attributes: [{ id: '', type: 'sum' }] }, 'attributes[0].id'],
    ['a long attribute id', { ...DEFINITION, attributes: [{ id: 'a'.repeat(224), type: 'sum' }] }, 'at most 223'],
    ['an unknown type', { ...DEFINITION, attributes: [{ id: 'a', type: 'max' }] }, 'attributes[0].type'],
    ['a duplicate attribute', { ...DEFINITION, attributes: [...many(1), ...many(1)] }, '`a0` is a duplicate'],
    ['a list', [DEFINITION], 'must be an object'],
  ])('are rejected with 422: %s', async (_what, body, sentence) => {
    const reply = await create(body);
    expect(reply.status).toBe(422);
    expect(reply.text).toContain('Unprocessable entity: ');
    expect(reply.text).toContain(sentence);
    expect((await emulator.call('GET', path)).json).toEqual([]);
  });

  test('are accepted with ten attributes, and with ids of 3 and 32 characters', async () => {
    for (const id of ['abc', 'a'.repeat(32)]) {
      expect((await create({ ...DEFINITION, id, attributes: many(10) })).status).toBe(200);
      expect((await emulator.call('DELETE', path + id)).status).toBe(204);
    }
  });

  test('are rejected with 422 if they are duplicates, too many or renamed, and with 400 if the JSON is malformed', async () => {
    await create();
    const errors = async (body: unknown) => {
      const { status, json } = await create(body);
      return [status, (json as { errors: { message: string }[] }).errors.map(({ message }) => message)];
    };
    expect(await errors(DEFINITION)).toEqual([422, ['Unprocessable entity: id `household` is taken']]);
    expect(await errors({ ...DEFINITION, id: 'other' })).toEqual([
      422,
      ['Unprocessable entity: a workspace has at most 1 group definition'],
    ]);
    expect((await create('{"id":')).status).toBe(400);
    const renamed = await emulator.call('PUT', `${path}household`, { body: { ...DEFINITION, id: 'other' } });
    expect(renamed.status).toBe(422);
  });

  test('are accessible only in their workspace and with valid credentials', async () => {
    await create();
    const ask = async (method: string, where: string) => (await emulator.call(method, where, { body: '{}' })).status;
    expect(await ask('GET', '/platform/workspaces/9/groups/')).toBe(404);
    expect(await ask('GET', '/platform/workspaces/x/groups/household')).toBe(404);
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) expect(await ask(method, `${path}other`)).toBe(404);
    expect((await emulator.send('GET', path)).status).toBe(401);
  });
});

function many(count: number) {
  return Array.from({ length: count }, (_, index) => ({ id: `a${index}`, type: 'sum' }));
}

describe('the weekly refresh', () => {
  const attributes = [
    { id: 'points', type: 'sum' },
    { id: 'is_member', type: 'boolean_or' },
    { id: 'city', type: 'latest' },
  ];

  test('aggregates at most ten users, beginning a week after the definition is created', async () => {
    await create({ ...DEFINITION, attributes });
    await emulator.api.advance('6d');
    expect(await groupAttributesOf(1)).toEqual({});
    await emulator.api.advance('1d');
    expect(await groupAttributesOf(1)).toEqual({ 'household:points': 55, 'household:is_member': false });
    expect(await groupAttributesOf(10)).toEqual(await groupAttributesOf(1));
    expect(await groupAttributesOf(11)).toEqual({});
    expect(await groupAttributesOf(13)).toEqual({
      'household:points': 5,
      'household:is_member': true,
      'household:city': 'Here',
    });
    expect(await groupAttributesOf(14)).toEqual({});
  });

  test('applies the latest changes every week', async () => {
    await create({ ...DEFINITION, attributes });
    await emulator.api.advance('7d');
    await emulator.call('PATCH', `${path}household`, { body: { attributes: [{ id: 'points', type: 'average' }] } });
    await emulator.api.advance('6d');
    expect(await groupAttributesOf(13)).toHaveProperty(['household:city']);
    await emulator.api.advance('1d');
    expect(await groupAttributesOf(13)).toEqual({ 'household:points': 5 });
    expect(await groupAttributesOf(1)).toEqual({ 'household:points': 5.5 });
  });

  test('is undone when the definition is deleted', async () => {
    await create({ ...DEFINITION, attributes });
    await emulator.api.advance('7d');
    await emulator.call('DELETE', `${path}household`);
    expect(await groupAttributesOf(13)).toEqual({});
  });

  test('ends after a reset, which deletes the definition', async () => {
    await create({ ...DEFINITION, attributes });
    await emulator.api.advance('7d');
    expect(await groupAttributesOf(13)).toHaveProperty(['household:points']);
    await emulator.api.reset();
    expect((await emulator.call('GET', path)).json).toEqual([]);
    expect(await groupAttributesOf(13)).toEqual({});
    await emulator.api.advance('7d');
    expect(await groupAttributesOf(13)).toEqual({});
    // A new definition takes effect only after another full week.
    await create({ ...DEFINITION, attributes });
    await emulator.api.advance('6d');
    expect(await groupAttributesOf(13)).toEqual({});
    await emulator.api.advance('1d');
    expect(await groupAttributesOf(13)).toHaveProperty(['household:points']);
  });
});
