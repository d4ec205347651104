// `auth test` tries the credentials of each area against the platform, and reports the areas that it does not check.
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import { createCliHome, runCli } from '../helpers/cli.ts';
import { startTestEmulator, type TestEmulator } from '../helpers/emulator.ts';

let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await startTestEmulator({ memory: true });
});
afterEach(() => emulator.api.clearFaults());
afterAll(() => emulator.close());

/** Returns environment variables with the platform credentials but without a workspace. */
function environment(more: Record<string, string> = {}): Record<string, string> {
  const { base_url, auth_url, org_id, account_id, client_id, client_secret } = emulator.ready;
  const values = {
    base_url,
    auth_url,
    org_id: String(org_id),
    account_id: String(account_id),
    client_id,
    client_secret,
  };
  const variables = Object.entries(values).map(([name, value]) => [`CDPADM_${name.toUpperCase()}`, value]);
  return { ...Object.fromEntries(variables), ...more } as Record<string, string>;
}

interface Check {
  credential: string;
  area: string;
  status: string;
  detail: string;
}

async function testAuth(env: Record<string, string>) {
  const { code, stdout, stderr } = await runCli(['auth', 'test', '-o', 'json', '--retries', '0'], { env });
  const checks = JSON.parse(stdout) as Check[];
  for (const secret of [emulator.ready.client_secret, emulator.ready.workspace_secret])
    expect(stdout + stderr).not.toContain(secret);
  return { code, stderr, of: (area: string) => checks.find((check) => check.area === area), checks };
}

/** Returns environment variables for all addresses and credentials. */
const complete = (more: Record<string, string> = {}): Record<string, string> => ({
  ...environmentOf(emulator.ready),
  ...more,
});

describe('auth test', () => {
  it('checks every area except identity intake with its own credentials, and changes nothing', async () => {
    const before = await countRecords();
    const { code, checks } = await testAuth(complete());
    expect(code).toBe(0);
    expect(checks.map(({ credential, area, status }) => [credential, area, status])).toEqual([
      ['platform', 'roles', 'ok'],
      ['platform', 'groups', 'ok'],
      ['platform', 'warehouse', 'ok'],
      ['dsr', 'data subject requests', 'ok'],
      ['seeding', 'seeding', 'ok'],
      ['seeding', 'identity intake', 'not_checked'],
    ]);
    expect(await countRecords()).toEqual(before);
  });

  it('lists the missing settings of an area that is not configured', async () => {
    const { code, of } = await testAuth(environment());
    expect([code, of('roles')?.status]).toEqual([0, 'ok']);
    expect(of('groups')).toMatchObject({ status: 'not_configured', detail: 'missing: workspace_id' });
    expect(of('seeding')?.detail).toBe('missing: workspace_key, workspace_secret, seeding_url');
  });

  it('reports an invalid workspace secret in both of its areas, and accepts the platform credentials', async () => {
    const { code, of, stderr } = await testAuth(complete({ CDPADM_WORKSPACE_SECRET: 'wrong-workspace-secret' }));
    expect([code, of('roles')?.status]).toEqual([4, 'ok']);
    for (const area of ['data subject requests', 'seeding']) expect(of(area)).toMatchObject({ status: 'failed' });
    expect(stderr).toContain('data subject requests do not work');
    expect(stderr).not.toContain('wrong-workspace-secret');
  });

  it('reports invalid credentials once, not once per area', async () => {
    const { code, of } = await testAuth(complete({ CDPADM_CLIENT_SECRET: 'wrong-secret' }));
    expect([code, of('roles')?.status, of('seeding')?.status]).toEqual([4, 'failed', 'ok']);
    for (const area of ['groups', 'warehouse'])
      expect(of(area)).toMatchObject({
        status: 'not_checked',
        detail: expect.stringContaining('skipped because roles failed'),
      });
  });

  it.each([
    ['invalid', 'wrong-secret', 'do not work'],
    ['in a variable that is not set', '', 'PLATFORM_SECRET, which is not set'],
  ])("does not use the client's cached token if the secret is %s", async (_how, secret, message) => {
    const home = createCliHome();
    onTestFinished(home.remove);
    const { client_id, client_secret } = emulator.ready;
    const flags = `--auth-url ${emulator.url} --org 1001 --account 2001 --client-id ${client_id}`;
    await home.run(`profile create full --base-url ${emulator.url} ${flags} --client-secret-env PLATFORM_SECRET`);
    expect((await home.run('roles list', { env: { PLATFORM_SECRET: client_secret } })).code).toBe(0);
    const env = { PLATFORM_SECRET: secret };
    const { code, stderr } = await home.run('auth test --retries 0', { env });
    expect(code).toBe(4);
    expect(stderr).toContain(message);
    if (secret === '') expect(stderr).toContain('cdpadm auth login --profile full');
    // The hint must not suggest the command that just ran.
    expect(stderr).not.toContain('cdpadm auth test');
    expect((await home.run('doctor --retries 0', { env })).stdout).toMatch(/read roles\tfailed/);
    expect((await home.run('auth test', { env: { PLATFORM_SECRET: client_secret } })).code).toBe(0);
  });

  it('reports a missing auth_url unless a token is set', async () => {
    const none = { CDPADM_AUTH_URL: '' };
    expect((await testAuth(environment(none))).of('roles')).toMatchObject({
      status: 'not_configured',
      detail: 'missing: auth_url',
    });
    const bare = { ...none, CDPADM_CLIENT_ID: '', CDPADM_CLIENT_SECRET: '' };
    const { of } = await testAuth(environment({ ...bare, CDPADM_ACCESS_TOKEN: await emulator.token() }));
    expect(of('roles')?.status).toBe('ok');
  });

  it('checks the other areas even if one area rejects the credentials', async () => {
    const { code, of } = await testAuth(complete({ CDPADM_ORG_ID: '99999' }));
    expect([code, of('roles')?.status, of('warehouse')?.status]).toEqual([4, 'failed', 'ok']);
  });

  it('treats status 422 as valid credentials, and status 500 as a failure', async () => {
    const fault = { method: 'POST', path: '/v2/bulkcalculatedattributes', times: 1 };
    for (const [status, expected] of [
      [422, 'ok'],
      [500, 'failed'],
    ] as const) {
      await emulator.api.addFault({ ...fault, status });
      expect((await testAuth(complete())).of('seeding')?.status).toBe(expected);
    }
  });

  it.each([
    ['an invalid secret', { CDPADM_CLIENT_SECRET: 'wrong-secret' }, 4, 'do not work'],
    ['an invalid token', { CDPADM_ACCESS_TOKEN: 'wrong-token' }, 4, 'do not work'],
    ['an address without a server', { CDPADM_AUTH_URL: 'http://127.0.0.1:9' }, 8, 'could not be tested'],
  ])('reports %s in the result and on standard error', async (_what, more: Record<string, string>, exit, sentence) => {
    const { code, of, stderr } = await testAuth(environment(more));
    expect([code, of('roles')?.status]).toEqual([exit, 'failed']);
    expect(stderr).toContain(sentence);
  });

  it.each([
    ['a redirect', { method: 'GET', path: '*/tasks', status: 302, times: 1 }],
    ['a token service that always fails', { method: 'POST', path: '/oauth/token', status: 505, times: 9 }],
  ])('does not blame the credentials for %s', async (_what, fault) => {
    await emulator.api.addFault(fault);
    const { code, stderr } = await testAuth(complete());
    expect(code).toBe(1);
    expect(stderr).toContain('could not be tested');
  });

  it('suggests auth login for a profile without secrets, and does not truncate its output on terminals with 60 to 200 columns', async () => {
    const home = createCliHome();
    onTestFinished(home.remove);
    await home.run(`profile create bare --base-url ${emulator.url} --auth-url ${emulator.url}`);
    for (const columns of [60, 100, 200]) {
      const tty = { stdout: true };
      const { stdout, stderr, code } = await home.run('auth test', { tty, columns });
      expect(code).toBe(4);
      expect(stderr).toContain('cdpadm auth login --profile bare');
      expect(stdout.match(/not configured/g)).toHaveLength(6);
      expect(stdout).not.toContain('…');
    }
  });

  it('exits with 4 if there are no credentials', async () => {
    const { code, checks, stderr } = await testAuth({});
    expect([code, new Set(checks.map(({ status }) => status))]).toEqual([4, new Set(['not_configured'])]);
    expect(stderr).toContain('profile create');
  });

  it('accepts a token from the environment even without a client id', async () => {
    const bare = { CDPADM_CLIENT_ID: '', CDPADM_CLIENT_SECRET: '', CDPADM_ACCESS_TOKEN: await emulator.token() };
    const { code, of } = await testAuth(environment(bare));
    expect([code, of('roles')?.status]).toEqual([0, 'ok']);
  });

  it('succeeds with profile local even if there are no settings', async () => {
    const { code, stdout } = await runCli(['auth', 'test', '--profile', 'local', '-o', 'json']);
    const statuses = (JSON.parse(stdout) as Check[]).map(({ status }) => status);
    expect([code, statuses]).toEqual([0, ['ok', 'ok', 'ok', 'ok', 'ok', 'not_checked']]);
  });
});

/** Returns the numbers of profiles, seeds and events that the platform has stored. */
async function countRecords(): Promise<unknown> {
  return await (await fetch(`${emulator.control}/counts`)).json();
}
