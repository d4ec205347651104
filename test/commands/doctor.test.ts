// `doctor`: one line per check, with a fix for each problem.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createCliHome } from '../helpers/cli.ts';
import { answer, startFaultServer } from '../helpers/fault-server.ts';
import { opened } from '../helpers/opened.ts';
import { createRolesHome, type RolesHome } from '../helpers/roles-home.ts';
import { createHurriedClock } from '../helpers/seeding-home.ts';

interface Finding {
  check: string;
  status: string;
  detail: string;
  fix?: string;
}

describe('doctor', () => {
  let admin: RolesHome;
  beforeEach(async () => {
    admin = await createRolesHome();
    admin.defaults.clock = createHurriedClock();
  });
  afterEach(() => admin.close());

  async function diagnose(
    env: Record<string, string> = {},
  ): Promise<{ code: number; of(check: string): Finding | undefined }> {
    const { data, code } = await admin.json<Finding[]>('doctor', { env });
    return { code, of: (check) => data.find((item) => item.check === check) };
  }

  it('does not report a problem for a healthy platform', async () => {
    const { code, of } = await diagnose();
    expect(code).toBe(0);
    expect(of('base_url')).toMatchObject({ status: 'ok' });
    expect(of('read roles')).toMatchObject({ status: 'ok', detail: expect.stringMatching(/^\d+ tasks$/) });
  });

  it('suggests how to get started if nothing is set up', async () => {
    const home = createCliHome();
    onTestFinished(() => home.remove());
    const { code, stdout } = await home.run(['doctor', '-o', 'json']);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as Finding[]).find(({ check }) => check === 'profile')).toEqual({
      check: 'profile',
      status: 'warning',
      detail: 'none, and no CDPADM_* variable is set: no platform is configured',
      fix: 'Create one with `cdpadm profile create NAME`, or try everything with --profile local.',
    });
  });

  it('never shows a secret', async () => {
    const { stdout, stderr } = await admin.run('doctor -o json');
    for (const secret of ['local-client-secret', 'local-workspace-secret'])
      expect(stdout + stderr).not.toContain(secret);
  });

  it.each([
    [
      'an address where nothing listens',
      { CDPADM_AUTH_URL: 'http://127.0.0.1:1' },
      'auth_url',
      /ECONNREFUSED/,
      /Check the port/,
    ],
    [
      'invalid credentials',
      { CDPADM_CLIENT_SECRET: 'wrong-secret' },
      'read roles',
      /the client id or the client secret/,
      /Check CDPADM_CLIENT_ID and CDPADM_CLIENT_SECRET/,
    ],
    [
      'a proxy variable that is not the address of a proxy',
      { HTTPS_PROXY: 'socks5://proxy.example' },
      'proxy',
      /^HTTPS_PROXY is not the address/,
      /http:\/\/host:port/,
    ],
  ])('suggests a fix for %s and exits with 1', async (_what, env, check, detail, fix) => {
    const { code, of } = await diagnose(env);
    expect(code).toBe(1);
    expect(of(check)).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(detail),
      fix: expect.stringMatching(fix),
    });
  });

  const REMOTE = { CDPADM_IDENTITY_URL: 'https://127.0.0.1:1' };

  it.each([
    ['NO_PROXY excludes it', { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' }],
    ['only HTTP_PROXY is set', { HTTP_PROXY: 'http://127.0.0.1:9' }],
    ['it is on this machine, but the proxy is not', { HTTPS_PROXY: 'proxy.example:3128' }],
  ])('probes an https address without a proxy if %s', async (_why, env) => {
    const { of } = await diagnose({ ...REMOTE, ...env });
    expect(of('identity_url')).toMatchObject({ status: 'failed', detail: expect.stringContaining('ECONNREFUSED') });
  });

  it('does not probe an address that is reached through a proxy, and shows the proxy without its password', async () => {
    const { of } = await diagnose({ ...REMOTE, HTTPS_PROXY: 'me:canary@127.0.0.1:9' });
    expect(of('identity_url')).toMatchObject({ status: 'skipped' });
    expect(of('proxy')).toEqual({ check: 'proxy', status: 'ok', detail: '127.0.0.1:9' });
  });

  it('prints each problem and its fix in full on a narrow terminal', async () => {
    const env = { CDPADM_AUTH_URL: 'http://127.0.0.1:1' };
    const { stderr, stdout } = await admin.run('doctor --no-color', { env, tty: true, columns: 60 });
    expect(stdout).toMatch(/^CHECK {3}auth_url$/m);
    expect(stdout).not.toContain('FIX');
    expect(stderr).toContain('auth_url: failed\n  cannot reach http://127.0.0.1:1: ECONNREFUSED\n');
    expect(stderr).toContain('  To fix it: Check the port, or start the service.');
    expect((await admin.run('doctor', { env })).stderr).not.toContain('To fix it');
  });

  it.each([60, 80, 100])('does not truncate details at %i columns', async (columns) => {
    const { data } = await admin.json<Finding[]>('doctor');
    expect(data.length).toBeGreaterThan(5);
    const { stdout } = await admin.run('doctor --no-color', { tty: true, columns });
    expect(stdout).not.toContain('…');
    const words = stdout.split(/\s+/);
    for (const { detail } of data) expect(words).toEqual(expect.arrayContaining(detail.split(' ')));
  });

  it('warns about a folder that others can read, and reports an invalid settings file', async () => {
    const folder = join(admin.folder, 'config');
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    chmodSync(folder, 0o755);
    expect((await diagnose()).of('folder config')).toMatchObject({
      status: 'warning',
      fix: expect.stringContaining('chmod 700'),
    });
    chmodSync(folder, 0o700);
    writeFileSync(join(folder, 'config.json'), '{', { mode: 0o600 });
    const { code, of } = await diagnose();
    expect([code, of('settings file')?.status]).toEqual([1, 'failed']);
  });

  it('warns about a folder that cannot be created or written', async () => {
    const file = join(admin.folder, 'file');
    writeFileSync(file, '', { mode: 0o600 });
    const { of } = await diagnose({ CDPADM_STATE_DIR: join(file, 'a', 'b'), CDPADM_CACHE_DIR: file });
    const reason = `${file} is read-only, full or not a folder`;
    expect(of('folder state')).toMatchObject({
      status: 'warning',
      detail: `${join(file, 'a', 'b')} cannot be created: ${reason}`,
    });
    expect(of('folder cache')).toMatchObject({ status: 'warning', detail: reason });
  });

  it("warns about a removed profile's secrets file", async () => {
    const folder = join(admin.folder, 'config', 'secrets');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(join(admin.folder, 'config'), 0o700);
    const file = join(folder, 'gone.json');
    writeFileSync(file, '{"client_secret":"s3cret"}', { mode: 0o600 });
    const { code, of } = await diagnose();
    const detail = `no profile uses the secrets in ${file}`;
    expect([code, of('settings file')]).toEqual([
      0,
      { check: 'settings file', status: 'warning', detail, fix: `rm "${file}"` },
    ]);
  });

  it('warns about an inaccurate clock', async () => {
    const server = await opened(startFaultServer());
    server.otherwise(answer({ headers: { date: new Date(Date.now() - 3_600_000).toUTCString() } }));
    const { of } = await diagnose({ CDPADM_SEEDING_URL: server.url });
    expect(of('seeding_url')).toMatchObject({ status: 'warning', detail: expect.stringMatching(/ahead of/) });
  });
});
