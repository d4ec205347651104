// The platform's state: snapshots within a platform, and export and import between platforms.
import { describe, expect, it } from 'vitest';
import type { StartOptions } from '../../../../src/lib/emulator/index.ts';
import { dsrBody, raw } from '../../../helpers/dsr.ts';
import { basicAuth, startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { opened } from '../../../helpers/opened.ts';
import { CONNECTION } from '../../../helpers/sync-definitions.ts';

const start = (options: StartOptions = {}): Promise<TestEmulator> =>
  opened(startTestEmulator({ clock: 'manual', ...options }));

const WORKSPACE = basicAuth('local-workspace-key:local-workspace-secret');

const submit = async (platform: TestEmulator, email = 'jane@people.example'): Promise<string> => {
  const body = dsrBody({ subject_identities: { email: raw(email) } });
  const { status } = await platform.send('POST', '/v3/requests/', { body, headers: WORKSPACE });
  expect(status).toBe(201);
  return body.subject_request_id;
};
const statusOf = async (platform: TestEmulator, id: string): Promise<unknown> => {
  const { json, status } = await platform.send('GET', `/v3/requests/${id}`, { headers: WORKSPACE });
  return status === 200 ? (json as { request_status: string }).request_status : status;
};

describe('snapshots', () => {
  it('restore profiles, requests, roles, faults and the clock, even twice', async () => {
    const platform = await start();
    const rolesPath = `${platform.accountPath}/roles`;
    const roles = async () => (await platform.call('GET', rolesPath)).json as { roles: object[] };
    const rolesBefore = await roles();
    await platform.clock.set('2026-03-01T00:00:00Z');
    const first = await submit(platform);
    await platform.faults.add({ status: 503, path: '/nowhere' });
    const snapshot = await platform.snapshot();
    const before = await platform.state.counts();
    const second = await submit(platform, 'kim@people.example');
    await platform.clock.advance('30d');
    await platform.faults.clear();
    const body = { roles: rolesBefore.roles.map((role) => ({ ...role, description: 'Changed' })) };
    expect(await platform.call('PUT', rolesPath, { body })).toMatchObject({ status: 200 });
    expect(await roles()).not.toEqual(rolesBefore);
    const seed = { environment: 'production', xpid: 5, calculated_attributes: {} };
    await platform.send('POST', '/v2/calculatedattributes', { body: seed, headers: WORKSPACE });
    expect(await statusOf(platform, first)).toBe('completed');
    for (const _time of ['once', 'twice']) {
      await platform.restore(snapshot);
      expect(await platform.clock.now()).toBe('2026-03-01T00:00:00.000Z');
      expect([await statusOf(platform, first), await statusOf(platform, second)]).toEqual(['pending', 404]);
      expect(await platform.faults.list()).toEqual([{ status: 503, path: '/nowhere' }]);
      expect(await platform.state.counts()).toEqual(before);
      expect(await roles()).toEqual(rolesBefore);
    }
    await platform.clock.advance('30d');
    expect(await statusOf(platform, first)).toBe('completed');
  });

  it('keep tokens valid, and are limited to the newest 20', async () => {
    const platform = await start();
    const first = await platform.snapshot();
    const headers = { authorization: `Bearer ${await platform.token()}` };
    for (let count = 0; count < 20; count++) await platform.snapshot();
    await platform.restore(first + 1);
    expect((await platform.send('GET', `${platform.accountPath}/roles`, { headers })).status).toBe(200);
    expect(await failureOf(platform.restore(first))).toMatchObject({ status: 404 });
  });
});

describe('an exported state', () => {
  const exported = async (platform: TestEmulator): Promise<unknown> =>
    (await platform.send('GET', '/_control/state')).json;
  const putInto = (platform: TestEmulator, body: unknown) => platform.send('POST', '/_control/state', { body });

  it('makes another platform identical when imported, and contains no secrets', async () => {
    const one = await start();
    const id = await submit(one);
    await one.call('POST', '/platform/v2/workspaces/3001/connections', { body: CONNECTION });
    const { text: state } = await one.send('GET', '/_control/state');
    const { password } = CONNECTION.config as { password?: string };
    if (password !== undefined) expect(state).not.toContain(password);
    const other = await start();
    expect((await other.send('POST', '/_control/state', { body: state })).status).toBe(200);
    expect(await statusOf(other, id)).toBe('pending');
    expect(await exported(other)).toEqual(JSON.parse(state));
  });

  it('is rejected without changes if its version or workspaces differ, or if it has an unknown table', async () => {
    const platform = await start();
    const state = (await exported(platform)) as { tables: object; versions: object };
    const { status, text } = await putInto(platform, { ...state, versions: { ...state.versions, dsr: 99 } });
    expect([status, text]).toEqual([400, expect.stringContaining('a different version')]);
    const unknownTable = { ...state.tables, no_table: [{ a: 1 }] };
    expect((await putInto(platform, { ...state, tables: unknownTable })).status).toBe(400);
    const elsewhere = await start({ identity: { workspace: 7 } });
    const rejected = await putInto(platform, await exported(elsewhere));
    expect([rejected.status, rejected.text]).toEqual([400, expect.stringContaining('other organizations')]);
    expect(await exported(platform)).toEqual(state);
  });

  type Tables = Record<string, Record<string, unknown>[]>;

  it('is rejected without changes if it is damaged, and does not affect the next import', async () => {
    const platform = await start({
      fixtures: { profiles: [{ user_attributes: { a: 1 }, identities: { email: 'a@b.example' } }] },
    });
    await submit(platform);
    await platform.call('POST', '/platform/v2/workspaces/3001/connections', { body: CONNECTION });
    await platform.faults.add({ status: 503, path: '/nowhere' });
    const state = (await exported(platform)) as { tables: Tables };
    const damaged = (change: (tables: Tables) => void): object => {
      const copy = structuredClone(state);
      change(copy.tables);
      return copy;
    };
    /** Returns the state with one column of a table's first row changed. */
    const withValue = (table: string, column: string, value: unknown) =>
      damaged((tables) => Object.assign(tables[table]?.[0] ?? {}, { [column]: value }));
    const cases: [object, string][] = [
      [damaged(({ profiles }) => profiles?.push({ ...profiles[0] })), 'UNIQUE constraint failed: profiles.id'],
      [
        damaged(({ connections }) => connections?.push({ ...connections[0], seq: 99 })),
        'UNIQUE constraint failed: connections.workspace, connections.id',
      ],
      [damaged((tables) => delete tables['profiles']), 'tables.profiles is missing'],
      [damaged((tables) => (tables['no_table'] = [])), 'unknown field `tables.no_table`'],
      [withValue('profiles', 'extra', 1), 'unknown field `tables.profiles[0].extra`'],
      [withValue('profiles', 'xpid', 'x'), 'tables.profiles[0].xpid must be'],
      [withValue('profiles', 'environment', 'x'), 'tables.profiles[0].environment must be `production`'],
      [withValue('profiles', 'id', null), 'tables.profiles[0].id must be'],
      [withValue('profiles', 'created_at', 1e17), 'tables.profiles[0].created_at must be at most'],
      [withValue('manifests', 'reply', '{broken'), 'tables.manifests[0].reply must be JSON'],
      [withValue('manifests', 'reply', '{}'), 'tables.manifests[0].reply has an invalid field: roles is missing'],
      [
        withValue('profiles', 'document', '{}'),
        'tables.profiles[0].document has an invalid field: identities is missing',
      ],
      [
        withValue('connections', 'document', '{}'),
        'tables.connections[0].document has an invalid field: definition is missing',
      ],
      [
        withValue('connections', 'document', '{"definition":{"id":"a","service_provider":"PROVIDER_D"}}'),
        'definition.config is missing',
      ],
      [withValue('connections', 'id', 'a\0'), 'tables.connections[0].id must not contain'],
      [withValue('dsr_requests', 'history', '{}'), 'tables.dsr_requests[0].history must be a list'],
      [withValue('dsr_requests', 'status', 'weird'), 'tables.dsr_requests[0].status must be `pending`'],
      [withValue('dsr_steps', 'step', 'weird'), 'tables.dsr_steps[0].step must be `forward`'],
      [{ ...state, clock: -1e20 }, 'clock must be at least'],
      [{ ...state, clock: 1e17 }, 'clock must be at most'],
    ];
    for (const [body, message] of cases) {
      const { status, text } = await putInto(platform, body);
      const reply = JSON.parse(text) as { errors: { message: string }[] };
      expect([status, reply.errors[0]?.message]).toEqual([400, expect.stringContaining(message)]);
      expect(text).not.toContain('different version');
    }
    expect(await exported(platform)).toEqual(state);
    expect((await putInto(platform, state)).status).toBe(200);
  });
});
