// What the embedded platform keeps: across restarts, across kill -9, and from a second one on the same folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../../src/lib/emulator/base/db.ts';
import { findOwner } from '../../../../src/lib/emulator/folder.ts';
import { type EmulatorReady, startEmulator } from '../../../../src/lib/emulator/index.ts';
import { host } from '../../../../src/lib/kernel/host.ts';
import { type Bundle, bundleEntry } from '../../../helpers/bundle.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import { dsrBody, dsrCaller, raw } from '../../../helpers/dsr.ts';
import { basicAuth, type Exchange, send, startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';
import { opened } from '../../../helpers/opened.ts';
import { randomFrom } from '../../../helpers/random.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { tellingEnv } from '../../../helpers/wire-judge.ts';

let data: string;
beforeEach(() => {
  data = temporaryFolder();
});

function start(options: Parameters<typeof startTestEmulator>[0] = {}): Promise<TestEmulator> {
  return opened(startTestEmulator({ data, ...options }));
}

const role = (id: string) => ({ role_id: id, name: id, description: 'd', tasks: [{ task_id: 'user:core' }] });
const NO_ROLES = { roles: [] };

const seedOf = (workspace: number, email: string) => ({
  environment: 'production',
  identities: { email },
  calculated_attributes: {
    [workspace]: [
      { attribute_name: 'spent', calculation_type: 'count', cutoff_date: '2026-01-01', seed: { value: 3 } },
    ],
  },
});

describe('a restart', () => {
  test('finds roles, assignments, tokens, log, faults and the distance of the clock as they were', async () => {
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
    const refused = await second.send('PUT', roles, { headers, body: { roles: [role('b')] } });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('assigned to a user')]);
  });

  test('goes on counting the minute of A', async () => {
    const systemClock = createTestClock();
    const options = { systemClock, clock: 'manual', fixtures: { limits: { roles_per_minute: 3 } } } as const;
    const first = await start(options);
    await first.call('GET', `${first.accountPath}/roles`);
    await first.send('GET', `${first.accountPath}/roles`);
    await first.call('GET', `${first.accountPath}/tasks`);
    await first.close();
    const second = await start({ systemClock });
    const statuses: number[] = [];
    for (let count = 0; count < 2; count++)
      statuses.push((await second.call('GET', `${second.accountPath}/roles`)).status);
    expect(statuses).toEqual([200, 429]);
  });

  test('a manual clock stands where it stood; set going, it goes on from there', async () => {
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

  test('keeps the state under new fixtures, which count from the next reset on', async () => {
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

  test('knows from new fixtures at once who is who and how much they may', async () => {
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

describe('the folder', () => {
  test('is private, and is said to be nobody’s after a close', async () => {
    const emulator = await start();
    expect(statSync(join(data, 'platform.db')).mode & 0o777).toBe(0o600);
    expect(findOwner(data)).toEqual({ pid: host.pid, port: emulator.port });
    // What a loss of power may leave of a file that is not synced.
    for (const text of ['', '{"pid":', 'null', '\0\0\0']) {
      writeFileSync(join(data, 'running.json'), text);
      expect(findOwner(data)).toEqual({ pid: host.pid });
    }
    await emulator.close();
    expect(findOwner(data)).toBeUndefined();
  });

  test('belongs to one: a second is refused with process and port, and harms nothing', async () => {
    const first = await start();
    await expect(startEmulator({ data })).rejects.toMatchObject({
      code: 'emulator.running',
      message: `An embedded platform already runs on ${data} (process ${host.pid}, port ${first.port}).`,
      details: { folder: data, pid: host.pid, port: first.port },
    });
    expect((await first.call('GET', `${first.accountPath}/roles`)).status).toBe(200);
    expect(findOwner(data)?.pid).toBe(host.pid);
  });

  test('is free again when the start fails', async () => {
    await expect(startEmulator({ data, fixtures: { roles: 1 } })).rejects.toMatchObject({ code: 'input.invalid' });
    const taken = await opened(startTestEmulator());
    await expect(startEmulator({ data, port: taken.port })).rejects.toMatchObject({ code: 'emulator.port' });
    expect((await start()).port).toBeGreaterThan(0);
  });

  test('of a newer version is refused and left alone', async () => {
    await (await start()).close();
    const db = await openDatabase(join(data, 'platform.db'));
    db.run("UPDATE settings SET value = '99' WHERE key = 'version:roles'");
    db.close();
    await expect(startEmulator({ data })).rejects.toMatchObject({ code: 'emulator.newer' });
  });

  test.each([
    [
      'no database',
      async (path: string) => writeFileSync(path, 'not a database, but long enough to be one'.repeat(200)),
    ],
    [
      "somebody else's database",
      async (path: string) => {
        const db = await openDatabase(path);
        db.exec('CREATE TABLE theirs (id); PRAGMA application_id = 1');
        db.close();
      },
    ],
  ])('with %s in it is refused and left alone', async (_what, write) => {
    const path = join(data, 'platform.db');
    await write(path);
    const before = readFileSync(path);
    await expect(startEmulator({ data })).rejects.toMatchObject({ code: 'emulator.database' });
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe('kill -9', () => {
  let child: Bundle;
  beforeAll(async () => {
    child = await bundleEntry('test/unit/lib/emulator/children/serve.ts');
    // The driver stays a package; this is how a file outside the repository finds it.
    const packages = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
    symlinkSync(packages, join(dirname(child.file), 'node_modules'));
  });
  afterAll(() => child.remove());

  async function startChild(): Promise<{ process: ChildProcess; ready: EmulatorReady; exited: Promise<unknown> }> {
    const started = spawn(process.execPath, [child.file, data], {
      env: { ...process.env, ...tellingEnv() },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void started.kill('SIGKILL'));
    const [line] = (await once(createInterface({ input: started.stdout }), 'line')) as [string];
    return { process: started, ready: JSON.parse(line) as EmulatorReady, exited: once(started, 'exit') };
  }

  async function bearer(ready: EmulatorReady): Promise<Record<string, string>> {
    const { client_id, client_secret, base_url } = ready;
    const body = { client_id, client_secret, audience: base_url, grant_type: 'client_credentials' };
    const reply = await send('POST', `${ready.auth_url}/oauth/token`, { body });
    return { authorization: `Bearer ${(reply.json as { access_token: string }).access_token}` };
  }

  test('loses no acknowledged write of eight writers at once, keeps none by half, and leaves no lock', async () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
    const random = randomFrom(seed);
    // The specification's sample that is assigned must stay, or nothing would be accepted.
    const manifest = (round: number, n: number) => ({
      roles: [...Array.from({ length: 40 }, (_, index) => role(`r${round}-${n}-${index}`)), role('support-role')],
    });
    for (let round = 0; round < 4; round++) {
      const { process: victim, ready, exited } = await startChild();
      const what = `SEED=${seed}, round ${round}`;
      await send('POST', `${ready.control_url}/reset`);
      const headers = await bearer(ready);
      const workspace = basicAuth(`${ready.workspace_key}:${ready.workspace_secret}`);
      const path = `/platform/v2/organizations/${ready.org_id}/accounts/${ready.account_id}/roles`;
      // The next requests are under way when the signal arrives.
      let left = 10 + Math.floor(random() * 40);
      const wait = random() * 10;

      /** Sends one after the other until the platform is no more; how many were acknowledged. One more was under way. */
      async function writer(status: number, write: (n: number) => Promise<Exchange>): Promise<number> {
        let answered = 0;
        try {
          for (; ; answered++) {
            const reply = await write(answered);
            expect(reply.status, `${what}: ${reply.text}`).toBe(status);
            if (--left === 0) setTimeout(() => victim.kill('SIGKILL'), wait);
          }
        } catch (error) {
          if (!/ECONNRESET|ECONNREFUSED|EPIPE/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
        }
        return answered;
      }

      const ids = Array.from({ length: 4 }, () => [] as string[]);
      const people = (who: number, n: number) => [0, 1, 2].map((row) => `${round}-${who}-${n}-${row}@people.example`);
      const [roles, ...others] = await Promise.all([
        writer(200, (n) => send('PUT', ready.base_url + path, { headers, body: manifest(round, n) })),
        ...ids.map((mine, who) =>
          writer(201, (n) => {
            const email = raw(`${round}-${who}-${n}@subjects.example`);
            const body = dsrBody({ subject_identities: { email } });
            mine.push(body.subject_request_id);
            return send('POST', `${ready.dsr_base_url}/requests`, { headers: workspace, body });
          }),
        ),
        ...[0, 1, 2].map((who) =>
          writer(202, (n) => {
            const body = people(who, n).map((email) => seedOf(ready.workspace_id, email));
            return send('POST', `${ready.seeding_url}/v2/bulkcalculatedattributes`, { headers: workspace, body });
          }),
        ),
      ]);
      await exited;
      expect(existsSync(join(data, 'platform.db.lock'))).toBe(true);

      const after = await start();
      const reply = await after.send('GET', path, { headers });
      const wanted = [roles - 1, roles].map((n) => manifest(round, n).roles);
      if (roles > 0) expect(wanted, what).toContainEqual((reply.json as { roles: unknown }).roles);
      const dsr = dsrCaller(after);
      for (const [who, mine] of ids.entries()) {
        for (const [n, id] of mine.entries()) {
          const { status } = await dsr('GET', `/requests/${id}`);
          expect(n < (others[who] ?? 0) ? [200] : [200, 404], what).toContain(status);
        }
      }
      for (const [who, answered] of others.slice(ids.length).entries()) {
        for (let n = 0; n <= answered; n++) {
          const found = await Promise.all(
            people(who, n).map(async (email) => {
              const known = await after.send('GET', `/_control/profiles?email=${email}`);
              return (known.json as unknown[]).length;
            }),
          );
          expect(n < answered ? [[1, 1, 1]] : [[1, 1, 1], [0, 0, 0]], what).toContainEqual(found); // prettier-ignore
        }
      }
      await after.close();
      const db = await openDatabase(join(data, 'platform.db'));
      expect(db.all('PRAGMA integrity_check'), what).toEqual([{ integrity_check: 'ok' }]);
      db.close();
    }
  });

  test('lets the next one in while the announcement of the dead one still stands', async () => {
    const { process: victim, ready, exited } = await startChild();
    expect(findOwner(data)).toEqual({ pid: victim.pid, port: Number(new URL(ready.base_url).port) });
    victim.kill('SIGKILL');
    await exited;
    expect(findOwner(data)).toBeUndefined();
    expect((await start()).ready.org_id).toBe(1001);
  });
});
