// The embedded platform's state: across restarts, and with a second platform that uses the same folder.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { platformAreas } from '../../../../src/lib/emulator/areas.ts';
import { openDatabase } from '../../../../src/lib/emulator/base/db.ts';
import { startEmulator } from '../../../../src/lib/emulator/index.ts';
import { host } from '../../../../src/lib/kernel/host.ts';
import { readHolder } from '../../../../src/lib/kernel/lock.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import { dsrCaller } from '../../../helpers/dsr.ts';
import { startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';
import { opened } from '../../../helpers/opened.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

let data: string;
beforeEach(() => {
  data = temporaryFolder();
});

function start(options: Parameters<typeof startTestEmulator>[0] = {}): Promise<TestEmulator> {
  return opened(startTestEmulator({ data, ...options }));
}

const role = (id: string) => ({ role_id: id, name: id, description: 'd', tasks: [{ task_id: 'user:core' }] });
const NO_ROLES = { roles: [] };

describe('a restart', () => {
  test('keeps roles, assignments, tokens, the request log, faults and the clock offset', async () => {
    const systemClock = createTestClock();
    const first = await start({ fixtures: NO_ROLES, systemClock });
    const headers = { authorization: `Bearer ${await first.token()}` };
    const roles = `${first.accountPath}/roles`;
    await first.send('PUT', roles, { headers, body: { roles: [role('a'), role('b')] } });
    await first.api.assignRole('a', 'kim@platform.example');
    await first.api.advance('2h');
    await first.api.addFault({ path: '/unused', status: 503, times: 2 });
    const manifest = await first.send('GET', roles, { headers });
    const log = await first.api.requests();
    await first.close();

    const second = await start({ systemClock });
    expect(await second.api.now()).toBe('2026-11-21T10:00:00.000Z');
    expect(await second.api.requests()).toEqual(log);
    expect(await second.api.faults()).toEqual([{ path: '/unused', status: 503, times: 2 }]);
    expect((await second.send('GET', roles, { headers })).text).toBe(manifest.text);
    const rejected = await second.send('PUT', roles, { headers, body: { roles: [role('b')] } });
    expect([rejected.status, rejected.text]).toEqual([400, expect.stringContaining('assigned to a user')]);
  });

  test('keeps the time of a manual clock, and a real clock continues from that time', async () => {
    const systemClock = createTestClock();
    const first = await start({ clock: 'manual', systemClock });
    await first.api.set('2030-01-01T00:00:00Z');
    await first.close();
    systemClock.advance(60_000);
    const second = await start({ systemClock });
    expect(await second.api.now()).toBe('2030-01-01T00:00:00.000Z');
    await second.close();
    const third = await start({ clock: 'real', systemClock });
    systemClock.advance(1500);
    expect(await third.api.now()).toBe('2030-01-01T00:00:01.500Z');
  });

  test('keeps the state if the fixtures changed, and applies the new fixtures on the next reset', async () => {
    const first = await start({ fixtures: { roles: [role('old')] } });
    await first.close();
    const second = await start({ fixtures: { roles: [role('new')] } });
    const ids = async (): Promise<string> => (await second.call('GET', `${second.accountPath}/roles`)).text;
    expect(await ids()).toContain('"role_id":"old"');
    await second.reset();
    expect(await ids()).toContain('"role_id":"new"');
    await second.close();
    const third = await start();
    await third.reset();
    expect((await third.call('GET', `${third.accountPath}/roles`)).text).toContain('"role_id":"new"');
  });

  test('applies credentials and limits from changed fixtures immediately', async () => {
    const fixtures = (secret: string, perMinute: number) => ({
      workspaces: [{ id: 7, key: 'k', secret }],
      limits: { dsr_per_minute: perMinute },
    });
    const systemClock = createTestClock();
    await (await start({ fixtures: fixtures('old', 9), systemClock })).close();
    const dsr = dsrCaller(await start({ fixtures: fixtures('new', 1), systemClock }));
    const statuses: number[] = [];
    for (const as of ['k:old', 'k:new', 'k:new']) statuses.push((await dsr('GET', '/discovery/', { as })).status);
    expect(statuses).toEqual([401, 200, 429]);
  });
});

/** The tables that later versions changed, as version 1 created them. */
const FIRST_TABLES: Record<string, string> = {
  seeding: `CREATE TABLE profiles (
    id INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, environment TEXT NOT NULL, xpid TEXT NOT NULL,
    created_at INTEGER NOT NULL, changed_at INTEGER NOT NULL, seeds INTEGER NOT NULL, document TEXT NOT NULL
  )`,
  dsr: `CREATE TABLE dsr_requests (
    seq INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, id TEXT NOT NULL, group_id TEXT, subject TEXT NOT NULL,
    status TEXT NOT NULL, expected_at INTEGER, completed_at INTEGER, forwarding TEXT NOT NULL, body TEXT NOT NULL,
    UNIQUE (workspace, id)
  )`,
  pipelines: `CREATE TABLE pipeline_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, workspace INTEGER NOT NULL, pipeline TEXT NOT NULL,
    type TEXT NOT NULL, status TEXT NOT NULL, logical_at INTEGER NOT NULL, due_at INTEGER,
    started_at INTEGER, ended_at INTEGER, document TEXT NOT NULL
  )`,
};

describe('the tables', () => {
  const upgraded = platformAreas.filter(({ migrations }) => migrations.length > 1);

  test.each(upgraded)('are the same in a new database and after upgrades: $name', async ({ migrations, name }) => {
    const columnsAfter = async (steps: readonly string[]): Promise<unknown> => {
      const db = await openDatabase(undefined);
      for (const step of steps) db.exec(step);
      const [, table = ''] = /CREATE TABLE (\w+)/.exec(FIRST_TABLES[name] ?? '') ?? [];
      const columns = db.all('SELECT name, type, "notnull", dflt_value FROM pragma_table_info(?) ORDER BY name', table);
      db.close();
      return columns;
    };
    const [first = '', ...later] = migrations;
    const columns = await columnsAfter([first]);
    expect(columns).not.toEqual([]);
    expect(await columnsAfter([FIRST_TABLES[name] ?? '', ...later])).toEqual(columns);
  });
});

describe("the platform's folder", () => {
  test('is private, and is released when the platform closes', async () => {
    const emulator = await start();
    expect(statSync(join(data, 'platform.db')).mode & 0o777).toBe(0o600);
    expect(readHolder(join(data, 'emulator.lock'))?.pid).toBe(host.pid);
    await emulator.close();
    expect(readHolder(join(data, 'emulator.lock'))).toBeUndefined();
  });

  test('is unchanged by a second platform, which is rejected with the process of the first one', async () => {
    const first = await start();
    await expect(startEmulator({ data })).rejects.toMatchObject({
      code: 'emulator.running',
      message: `An embedded platform already uses ${data} (process ${host.pid}).`,
      details: { folder: data, pid: host.pid },
    });
    expect((await first.call('GET', `${first.accountPath}/roles`)).status).toBe(200);
  });

  test('is released if the start fails', async () => {
    await expect(startEmulator({ data, fixtures: { roles: 1 } })).rejects.toMatchObject({ code: 'input.invalid' });
    const occupied = await opened(startTestEmulator());
    await expect(startEmulator({ data, port: occupied.port })).rejects.toMatchObject({ code: 'emulator.port' });
    expect((await start()).port).toBeGreaterThan(0);
  });

  test('is rejected if a newer program version wrote it', async () => {
    await (await start()).close();
    const db = await openDatabase(join(data, 'platform.db'));
    db.run("UPDATE settings SET value = '99' WHERE key = 'version:roles'");
    db.close();
    await expect(startEmulator({ data })).rejects.toMatchObject({ code: 'emulator.newer' });
  });

  test.each([
    [
      'an invalid database',
      async (path: string) => writeFileSync(path, 'not a database, but long enough to be one'.repeat(200)),
    ],
    [
      "another program's database",
      async (path: string) => {
        const db = await openDatabase(path);
        db.exec('CREATE TABLE theirs (id); PRAGMA application_id = 1');
        db.close();
      },
    ],
  ])('is rejected and not changed if it contains %s', async (_what, write) => {
    const path = join(data, 'platform.db');
    await write(path);
    const before = readFileSync(path);
    await expect(startEmulator({ data })).rejects.toMatchObject({ code: 'emulator.database' });
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

test('executes a prepared statement again after it failed', async () => {
  const db = await openDatabase(undefined);
  db.exec('CREATE TABLE numbers (n INTEGER PRIMARY KEY)');
  const add = (n: number) => db.insert('numbers', { n });
  add(1);
  for (const _time of ['once', 'twice']) expect(() => add(1)).toThrow('UNIQUE');
  add(2);
  const parse = (text: string) => db.all('SELECT json(?) AS value', text);
  expect(() => parse('{')).toThrow('malformed');
  expect(parse('{}')).toEqual([{ value: '{}' }]);
  db.close();
});
