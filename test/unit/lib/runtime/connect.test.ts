// Tests how flags and environment variables affect requests, and how a write is confirmed.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { makeCertificate } from '../../../helpers/certificate.ts';
import { json, startFaultServer } from '../../../helpers/fault-server.ts';
import type { CliOptions, CliResult } from '../../../helpers/cli.ts';
import { startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';
import { opened } from '../../../helpers/opened.ts';
import { openPlatformHome, type PlatformHome } from '../../../helpers/platform-home.ts';

let platform: TestEmulator;
let home: PlatformHome;
beforeAll(async () => {
  platform = await startTestEmulator();
});
afterAll(() => platform.close());
beforeEach(async () => {
  await platform.reset();
  home = await opened(openPlatformHome({}, platform));
});

const cli = (args: string[], options?: CliOptions): Promise<CliResult> => home.run(args, options);

const list = ['roles', 'list'];

test('connects if all settings are environment variables', async () => {
  const { code, stdout } = await cli([...list, '-o', 'json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).not.toHaveLength(0);
});

test('prefers a flag to an environment variable', async () => {
  const { stdout } = await cli([...list, '--org', '4242', '--account', '77', '--curl']);
  expect(stdout).toContain('/organizations/4242/accounts/77/roles');
});

describe('--ca-file', () => {
  test('adds its CAs to those from NODE_EXTRA_CA_CERTS, which Node would otherwise ignore', async () => {
    const [own, other] = [makeCertificate(), makeCertificate()];
    const server = await opened(startFaultServer({ tls: own }));
    server.next(json({ access_token: 'a-token', expires_in: 60, token_type: 'Bearer' }), json({ roles: [] }));
    home.write('other.pem', other.cert);
    home.write('extra.pem', own.cert);
    const address = server.url.replace('127.0.0.1', 'localhost');
    const env = { CDPADM_BASE_URL: address, CDPADM_AUTH_URL: address };
    const extra = { NODE_EXTRA_CA_CERTS: join(home.cwd, 'extra.pem') };
    const args = [...list, '--ca-file', 'other.pem', '--retries', '0'];
    expect(await cli(args, { env })).toMatchObject({ code: 8 });
    expect(await cli(args, { env: { ...env, ...extra } })).toMatchObject({ code: 0 });
    expect((await cli(args, { env: { ...env, NODE_EXTRA_CA_CERTS: join(home.cwd, 'missing.pem') } })).code).toBe(8);
  });
});

test('with --curl, prints a curl command without secrets and does not send anything', async () => {
  const { code, stdout, stderr } = await cli([...list, '--curl']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^curl .*\/roles'/);
  expect(stdout).not.toContain(platform.ready.client_secret);
  const { stdout: toFile } = await cli([...list, '--curl', '--out', 'call.sh']);
  expect(toFile).toBe('');
  expect(home.read('call.sh')).toBe(stdout);
});

test('with --trace-file, records every exchange in a private file without secrets', async () => {
  expect((await cli([...list, '--trace-file', 'trace.ndjson'])).code).toBe(0);
  const text = home.read('trace.ndjson');
  const exchanges = text.trimEnd().split('\n');
  expect(exchanges.map((line) => (JSON.parse(line) as { method: string }).method)).toEqual(['POST', 'GET']);
  expect(text).not.toContain(platform.ready.client_secret);
  const headers = exchanges.map((line) => (JSON.parse(line) as { request: { headers: object } }).request.headers);
  expect(headers).toMatchObject([{}, { authorization: '********' }]);
  expect(statSync(join(home.cwd, 'trace.ndjson')).mode & 0o777).toBe(0o600);
});

test('prints the HTTP exchanges on standard error with --debug, but not with -v', async () => {
  const debug = await cli([...list, '--debug']);
  expect(debug.stderr).toContain('/roles');
  expect(debug.stderr).not.toContain(platform.ready.client_secret);
  expect((await cli([...list, '-v'])).stderr).not.toContain('/oauth/token');
});

it.each<[number, string, string[], Record<string, string>, string]>([
  [2, 'the CA file is missing', ['--ca-file', 'missing.pem'], {}, 'missing.pem'],
  [2, 'the CA file is a folder', ['--ca-file', '.'], {}, 'cannot be read: it is a folder.'],
  [2, 'there is no address', [], { CDPADM_BASE_URL: '' }, 'CDPADM_BASE_URL'],
  [2, 'there is no organization', [], { CDPADM_ORG_ID: '' }, 'CDPADM_ORG_ID'],
  [2, 'the organization is not a number', [], { CDPADM_ORG_ID: 'acme' }, 'CDPADM_ORG_ID'],
  [4, 'there is no client secret', [], { CDPADM_CLIENT_SECRET: '' }, 'CDPADM_CLIENT_SECRET'],
  [4, 'the client secret is wrong', [], { CDPADM_CLIENT_SECRET: 'wrong-secret' }, ''],
  [2, 'the profile is unknown', ['--profile', 'none'], {}, 'none'],
])('exits with %i if %s', async (code, _what, args, env, text) => {
  const result = await cli([...list, ...args], { env });
  expect(result.stderr).toContain(text);
  expect(result).toMatchObject({ code, stdout: '' });
  expect(result.stderr).not.toContain('wrong-secret');
});

describe('a write command', () => {
  beforeEach(async () => {
    expect((await cli(['roles', 'pull'])).code).toBe(0);
    home.write('roles.yaml', home.read('roles.yaml').replace('name: User\n', 'name: Renamed\n'));
  });

  const push = (args: string[], protectedProfile = false): Promise<CliResult> => {
    if (protectedProfile) home.write('.cdpadm.yaml', 'profile: local\nprotected: true\n');
    return cli(['roles', 'push', ...args]);
  };
  const puts = (): Promise<number> => home.received('PUT');

  test('shows the target and continues with --yes', async () => {
    const { code, stderr } = await push(['--yes']);
    expect(code).toBe(0);
    expect(stderr).toContain(platform.ready.base_url);
    expect(stderr).toContain(String(platform.ready.org_id));
    expect(await puts()).toBe(1);
  });

  test('exits with 2 and sends nothing if confirmation is impossible', async () => {
    expect((await push([])).code).toBe(2);
    expect(await puts()).toBe(0);
  });

  test('in a dry run, sends nothing and does not ask for confirmation', async () => {
    const { code, stdout } = await push(['-n', '-o', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ dry_run: true, requests: [{ method: 'PUT' }] });
    expect(await puts()).toBe(0);
  });

  it.each<[number, string[]]>([
    [12, ['--yes']],
    [12, ['--yes', '--confirm', 'other']],
    [0, ['--confirm', 'local']],
  ])('exits with %i for the flags %j if the profile is protected', async (code, args) => {
    const result = await push(args, true);
    expect(result.code).toBe(code);
    if (code !== 0) expect(result.stderr).toContain('--confirm local');
    expect(await puts()).toBe(code === 0 ? 1 : 0);
  });
});
