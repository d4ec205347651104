// Kills an embedded platform under load: after the next start, every acknowledged write is still there.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/lib/emulator/base/db.ts';
import type { EmulatorReady } from '../../src/lib/emulator/index.ts';
import { readHolder } from '../../src/lib/kernel/lock.ts';
import { type Bundle, bundleEntry } from '../helpers/bundle.ts';
import { dsrBody, dsrCaller, raw } from '../helpers/dsr.ts';
import { basicAuth, type Exchange, send, startTestEmulator, type TestEmulator } from '../helpers/emulator.ts';
import { opened } from '../helpers/opened.ts';
import { randomFrom } from '../helpers/random.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { reportingEnv } from '../helpers/wire-judge.ts';
import { root } from '../helpers/root.ts';

let data: string;
beforeEach(() => {
  data = temporaryFolder();
});

function start(options: Parameters<typeof startTestEmulator>[0] = {}): Promise<TestEmulator> {
  return opened(startTestEmulator({ data, ...options }));
}

const role = (id: string) => ({ role_id: id, name: id, description: 'd', tasks: [{ task_id: 'user:core' }] });

const seedOf = (workspace: number, email: string) => ({
  environment: 'production',
  identities: { email },
  calculated_attributes: {
    [workspace]: [
      { attribute_name: 'spent', calculation_type: 'count', cutoff_date: '2026-01-01', seed: { value: 3 } },
    ],
  },
});

describe('a platform that is killed with SIGKILL', () => {
  let child: Bundle;
  beforeAll(async () => {
    child = await bundleEntry('test/e2e/children/serve.ts');
    // Makes the database driver, which is not bundled, available outside the repository.
    const packages = join(root, 'node_modules');
    symlinkSync(packages, join(dirname(child.file), 'node_modules'));
  });
  afterAll(() => child.remove());

  async function startChild(): Promise<{ process: ChildProcess; ready: EmulatorReady; exited: Promise<unknown> }> {
    const started = spawn(process.execPath, [child.file, data], {
      env: { ...process.env, ...reportingEnv() },
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

  test('keeps every write that was acknowledged to eight concurrent writers, and does not leave a partial write or a lock', async () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
    const random = randomFrom(seed);
    // Keeps the sample role, because the platform rejects every write that deletes an assigned role.
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
      // The platform is killed after this many writes, so that others are in flight.
      let left = 10 + Math.floor(random() * 40);
      const wait = random() * 10;

      /**
       * Sends writes one by one until the platform is down; returns the number of acknowledged writes. One more write
       * may have been in flight.
       */
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

  test('does not prevent the next start, although its lock file still exists', async () => {
    const { process: victim, exited } = await startChild();
    expect(readHolder(join(data, 'emulator.lock'))?.pid).toBe(victim.pid);
    victim.kill('SIGKILL');
    await exited;
    expect(readHolder(join(data, 'emulator.lock'))?.pid).toBe(victim.pid);
    expect((await start()).ready.org_id).toBe(1001);
  });
});
