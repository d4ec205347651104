// Credentials are tried against the embedded platform; what cannot be tried is not claimed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../src/lib/emulator/index.ts';
import { runCli } from '../helpers/cli.ts';

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ memory: true });
});
afterAll(() => emulator.close());

/** The environment that the platform alone needs. */
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

async function testAuth(env: Record<string, string>) {
  const { code, stdout, stderr } = await runCli(['auth', 'test', '-o', 'json', '--retries', '0'], { env });
  const checks = JSON.parse(stdout) as { credential: string; status: string; detail: string }[];
  expect(stdout + stderr).not.toContain(emulator.ready.client_secret);
  return { code, stderr, checks, statuses: checks.map(({ status }) => status) };
}

describe('auth test', () => {
  it('tries the platform credentials and says what is missing for the others', async () => {
    const { code, statuses, checks } = await testAuth(environment());
    expect([code, statuses]).toEqual([0, ['ok', 'not_configured', 'not_configured']]);
    expect(checks[1]?.detail).toContain('workspace_key');
  });

  it('does not claim to have tried what it cannot try', async () => {
    const { dsr_base_url, workspace_key, workspace_secret } = emulator.ready;
    const more = {
      CDPADM_DSR_BASE_URL: dsr_base_url,
      CDPADM_WORKSPACE_KEY: workspace_key,
      CDPADM_WORKSPACE_SECRET: workspace_secret,
    };
    const { code, statuses, checks } = await testAuth(environment(more));
    expect([code, statuses]).toEqual([0, ['ok', 'not_checked', 'not_configured']]);
    expect(checks[2]?.detail).toContain('seeding_url');
  });

  it.each([
    ['a wrong secret', { CDPADM_CLIENT_SECRET: 'wrong-secret' }, 4, 'do not work'],
    ['a wrong token', { CDPADM_ACCESS_TOKEN: 'wrong-token' }, 4, 'do not work'],
    ['no organization', { CDPADM_ORG_ID: '' }, 2, 'CDPADM_ORG_ID'],
    ['an address where nobody answers', { CDPADM_AUTH_URL: 'http://127.0.0.1:9' }, 8, 'could not be tried'],
  ])('with %s fails, and says so twice', async (_what, more: Record<string, string>, exit, sentence) => {
    const { code, statuses, stderr } = await testAuth(environment(more));
    expect([code, statuses[0]]).toEqual([exit, 'failed']);
    expect(stderr).toContain(sentence);
  });

  it('without any credentials is exit 4', async () => {
    const { code, statuses, stderr } = await testAuth({});
    expect([code, statuses]).toEqual([4, ['not_configured', 'not_configured', 'not_configured']]);
    expect(stderr).toContain('profile create');
  });

  it('takes a token from the environment as it is', async () => {
    const reply = await runCli(['auth', 'test'], {
      env: environment({ CDPADM_CLIENT_ID: '', CDPADM_ACCESS_TOKEN: 'x' }),
    });
    expect(reply.code).toBe(4);
    expect(reply.stdout).toContain('failed');
  });

  it('works with the embedded platform as it is', async () => {
    const { code, stdout } = await runCli(['auth', 'test', '--profile', 'local', '-o', 'json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      [{ status: 'ok' }, { status: 'not_checked' }, { status: 'not_checked' }],
    ]);
  });
});
