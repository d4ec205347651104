// `emulator start --as` imitates the platform of a real profile without reading its secrets. This file also tests
// --from-live and other flags, `emulator log --follow` and state exports.
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectEmulator } from '../../src/lib/emulator/client.ts';
import { interrupted } from '../../src/lib/runtime/interrupt.ts';
import type { CliOptions, CliResult } from '../helpers/cli.ts';
import { send, startTestEmulator } from '../helpers/emulator.ts';
import { opened } from '../helpers/opened.ts';
import { createProfileHome, type ProfileHome } from '../helpers/profile-home.ts';

let home: ProfileHome;
let markerFiles: string[];
beforeEach(() => {
  home = createProfileHome();
  const markerOf = (name: string): string => join(home.folder, `was-read-${name}`);
  const command = (name: string): string => `command:touch ${markerOf(name)}; echo real-secret-of-${name}`;
  markerFiles = ['client_secret', 'workspace_key', 'workspace_secret'].map(markerOf);
  const live = {
    base_url: 'https://api.cdp.example',
    auth_url: 'https://auth.cdp.example',
    dsr_base_url: 'https://dsr.cdp.example/v3',
    seeding_url: 'https://s2s.cdp.example',
    identity_url: 'https://identity.cdp.example',
    org_id: '41',
    account_id: '42',
    workspace_id: '43',
    vendor_domain: 'cdp.example',
    names: { xpid: 'member_id' },
    secrets: {
      client_id: 'real-client',
      client_secret: command('client_secret'),
      workspace_key: command('workspace_key'),
      workspace_secret: command('workspace_secret'),
    },
  };
  mkdirSync(join(home.folder, 'config'), { recursive: true });
  writeFileSync(home.settingsFile, JSON.stringify({ version: 1, profiles: { live } }), { mode: 0o600 });
});
afterEach(() => home.remove());

const run = (args: string[], options?: CliOptions): Promise<CliResult> => home.run(args, options);

/** Calls `work` with the ready line while the platform is running. */
async function whileServing(args: string[], work: (ready: Record<string, unknown>) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  let resolveLine: (line: string) => void;
  const line = new Promise<string>((resolve) => (resolveLine = resolve));
  const onOutput = (stdout: string): void => {
    if (stdout.includes('\n')) resolveLine(stdout);
  };
  const serving = run(['emulator', 'start', '--port', '0', '-o', 'json', ...args], { stop, onOutput });
  try {
    const first = await Promise.race([line, serving.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
    await work(JSON.parse(first) as Record<string, unknown>);
  } finally {
    stop.abort(interrupted());
    await serving;
  }
}

describe('emulator start --as', () => {
  it('works with a copy of the profile in which only the addresses differ, and never reads the secrets', async () => {
    await whileServing(['--as', 'live'], async (ready) => {
      expect(ready).toMatchObject({ org_id: 41, account_id: 42, workspace_id: 43, client_id: 'real-client' });
      expect(markerFiles.filter(existsSync)).toEqual([]);
      const addresses = ['base_url', 'auth_url', 'dsr_base_url', 'seeding_url', 'identity_url'];
      const changes = addresses.flatMap((name) => ['--set', `${name}=${String(ready[name])}`]);
      expect(await run(['profile', 'copy', 'live', 'rehearsal'])).toMatchObject({ code: 0 });
      expect(await run(['profile', 'edit', 'rehearsal', ...changes])).toMatchObject({ code: 0 });
      const as = ['--profile', 'rehearsal'];
      expect(await run(['roles', 'list', ...as])).toMatchObject({ code: 0 });
      expect(await run(['connections', 'list', ...as])).toMatchObject({ code: 0 });
      const submit = ['dsr', 'submit', '--regulation', 'gdpr', '--type', 'erasure', '--skip-waiting-period'];
      const person = ['--extension-identity', 'member_id=42', '--yes'];
      expect(await run([...submit, ...person, ...as])).toMatchObject({ code: 0 });
      writeFileSync(
        join(home.cwd, 'seed.json'),
        JSON.stringify({ environment: 'production', member_id: 42, calculated_attributes: { 43: [] } }),
      );
      expect(await run(['seed', 'set', '-f', 'seed.json', '--yes', ...as])).toMatchObject({ code: 0 });
      // The commands have read the secrets; the platform has not.
      expect(markerFiles.filter(existsSync)).toEqual(markerFiles);
    });
    const state = join(home.folder, 'data', 'rehearsals', 'live');
    for (const file of readdirSync(state, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      expect(readFileSync(join(file.parentPath, file.name), 'latin1')).not.toContain('real-secret');
    }
  });

  it.each([
    ['an unknown profile', ['--as', 'lief'], 5, 'live'],
    ['real secrets on a public interface', ['--as', 'live', '--host', '0.0.0.0'], 2, 'cannot listen on 0.0.0.0'],
    ['a certificate without a key', ['--tls-cert', 'cert.pem'], 2, 'or neither'],
    ['an invalid certificate', ['--tls-cert', 'bad.pem', '--tls-key', 'bad.pem'], 2, 'Cannot use the certificate'],
    ['an invalid address', ['--public-url', 'ftp://here'], 2, 'ftp://here'],
    ['an address with a line break', ['--public-url', 'http://he\nre'], 2, 'The public address must be like'],
    ['a vendor domain that is a path', ['--vendor-domain', 'x/../../evil'], 2, 'is not a vendor domain'],
    ['a vendor domain with a line break', ['--vendor-domain', 'cdp\n.example'], 2, 'is not a vendor domain'],
    ['a vendor domain that is an address', ['--vendor-domain', 'http://x/'], 2, 'is not a vendor domain'],
    ['a vendor domain that no certificate can name', ['--vendor-domain', `${'a'.repeat(60)}.example`], 2, 'at most 56'],
    ['an invalid id', ['--workspace', 'abc'], 2, '--workspace'],
  ])('rejects %s', async (_what, args, code, message) => {
    writeFileSync(join(home.cwd, 'bad.pem'), '-----BEGIN CERTIFICATE-----\nbad\n-----END CERTIFICATE-----\n');
    const result = await run(['emulator', 'start', '--port', '0', '--memory', ...args]);
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) as string });
  });
});

describe('emulator start --from-live', () => {
  const config = { database: 'd', user: 'u', cloud_iam_role_arn: 'role', host: 'h.example' };
  const fixtures = {
    roles: [{ role_id: 'their-role', name: 'Theirs', description: 'Views', tasks: ['audiences:view'] }],
    groups: [{ id: 'household', source_user_attribute: 'home', attributes: [{ id: 'owner', type: 'latest' }] }],
    connections: [
      { id: 'cluster', name: 'C', service_provider: 'PROVIDER_C', config: { ...config, password: 'real-password' } },
      { id: 'lake', name: 'L', service_provider: 'PROVIDER_D', config: { provider: 'p', schema: 's' } },
    ],
    data_models: [{ id: 'people', name: 'P', type: 'sql', config: { sql_query: 'SELECT member_id FROM s.people' } }],
    pipelines: [
      {
        ...{ id: 'sync', name: 'S', pipeline_type: 'user_attributes', connection_id: 'lake', data_model_id: 'people' },
        ...{ state: 'active', sync_mode: { type: 'full' }, schedule: { type: 'on_demand' } },
        ...{ environment: 'development', partner_feed_id: 7, partner_feed_key: 'real-feed-key' },
      },
    ],
  };
  const inWorkspace = ({ roles, ...lists }: typeof fixtures) => ({
    roles,
    ...Object.fromEntries(
      Object.entries(lists).map(([name, list]) => [name, list.map((one) => ({ ...one, workspace_id: 43 }))]),
    ),
  });
  const TOP = { organizations: [{ id: 41 }], accounts: [{ id: 42 }] };

  it("copies a platform's roles, groups and warehouse, without secrets", async () => {
    const workspaces = [
      { id: 3001, key: 'other-key', secret: 'other-secret' },
      { id: 43, key: 'real-key', secret: 'real-secret' },
    ];
    const live = await opened(startTestEmulator({ fixtures: { ...TOP, workspaces, ...inWorkspace(fixtures) } }));
    const { base_url, auth_url, dsr_base_url, seeding_url, identity_url, client_id, client_secret } = live.ready;
    const addresses = { base_url, auth_url, dsr_base_url, seeding_url, identity_url };
    const ids = {
      org_id: '41',
      account_id: '42',
      workspace_id: '43',
      secrets: { client_id, client_secret: `command:echo ${client_secret}` },
    };
    const profiles = { live: { ...addresses, vendor_domain: 'cdp.example', ...ids } };
    writeFileSync(home.settingsFile, JSON.stringify({ version: 1, profiles }), { mode: 0o600 });

    await whileServing(['--as', 'live'], async () => {
      expect((await run(['roles', 'list', '-o', 'name'])).stdout).not.toContain('their-role');
    });
    await whileServing(['--from-live', 'live'], async (ready) => {
      expect(ready).toMatchObject({ org_id: 41, account_id: 42, workspace_id: 43, vendor_domain: 'cdp.example' });
      expect(await run(['emulator', 'export', 'state.json'])).toMatchObject({ code: 0 });
    });
    const writes = (await live.api.requests()).filter(
      ({ method, path }) => method !== 'GET' && path !== '/oauth/token',
    );
    expect(writes).toEqual([]);
    const { tables } = JSON.parse(readFileSync(join(home.cwd, 'state.json'), 'utf8')) as {
      tables: Record<string, { workspace: number; id: string }[]>;
    };
    expect(JSON.stringify(tables['manifests'])).toContain('their-role');
    for (const name of ['groups', 'connections', 'data_models', 'pipelines'] as const) {
      expect(tables[name]).toMatchObject(fixtures[name].map(({ id }) => ({ workspace: 43, id })));
    }
    expect(JSON.stringify(tables)).not.toMatch(/real-password|real-feed-key/);
    const folder = join(home.folder, 'data', 'rehearsals', 'live');
    for (const file of readdirSync(folder)) expect(readFileSync(join(folder, file), 'latin1')).not.toContain('real-');
  });

  it('rejects --from-live with --as, and a profile without a workspace', async () => {
    const start = ['emulator', 'start', '--port', '0', '--memory', '--from-live', 'live'];
    expect(await run([...start, '--as', 'live'])).toMatchObject({ code: 2 });
    const profiles = { live: { base_url: 'https://api.cdp.example', org_id: '41', account_id: '42' } };
    writeFileSync(home.settingsFile, JSON.stringify({ version: 1, profiles }), { mode: 0o600 });
    expect(await run(start)).toMatchObject({ code: 2, stderr: expect.stringContaining('workspace') as string });
  });
});

describe('emulator start', () => {
  it('uses the ids and the vendor domain from flags', async () => {
    const flags = ['--vendor-domain', 'cdp.example', '--org', '7', '--account', '8', '--workspace', '9'];
    await whileServing(['--memory', ...flags], async (ready) => {
      expect(ready).toMatchObject({ vendor_domain: 'cdp.example', org_id: 7, account_id: 8, workspace_id: 9 });
      expect(ready).toMatchObject({ client_id: 'local-client' });
    });
  });

  it("ignores an unknown word in a profile's names", async () => {
    const names = { names: { xpid: 'member_id', xpdi: 'other' } };
    const profiles = { named: { base_url: 'https://api.cdp.example', org_id: '41', account_id: '42', ...names } };
    writeFileSync(home.settingsFile, JSON.stringify({ version: 1, profiles }), { mode: 0o600 });
    await whileServing(['--memory', '--as', 'named'], async (ready) => {
      expect(ready).toMatchObject({ org_id: 41 });
    });
  });

  it('reports an unknown word in the --names file, with its line number', async () => {
    writeFileSync(join(home.cwd, 'names.yaml'), '<PROVIDER_A>: icehouse\nxpdi: member_id\n');
    const args = ['emulator', 'start', '--port', '0', '--memory', '--names', 'names.yaml'];
    expect(await run(args)).toMatchObject({
      code: 9,
      stderr: expect.stringMatching(/names\.yaml:2:1: xpdi: .*did you mean `xpid`\?/) as string,
    });
    writeFileSync(join(home.cwd, 'names.yaml'), '<PROVIDER_A>: icehouse\n');
    await whileServing(['--memory', '--names', 'names.yaml'], async (ready) => {
      expect(ready).toHaveProperty('control_url');
    });
  });
});

describe('emulator log --follow', () => {
  it('prints the logged requests with their bodies until it is stopped', async () => {
    await whileServing(['--memory'], async (ready) => {
      const platform = connectEmulator(String(ready['control_url']));
      const token = {
        client_id: 'local-client',
        client_secret: 'local-client-secret',
        grant_type: 'client_credentials',
      };
      await send('POST', `${String(ready['base_url'])}/oauth/token`, {
        body: { ...token, audience: ready['base_url'] },
      });
      const stop = new AbortController();
      const onOutput = (stdout: string): void => {
        if (stdout.includes('\n')) stop.abort(interrupted());
      };
      const followed = await run(['emulator', 'log', '--follow', '--bodies', '-o', 'json'], { stop, onOutput });
      expect(followed.code).toBe(130);
      expect(JSON.parse(followed.stdout)).toMatchObject({ path: '/oauth/token', body: { client_secret: '********' } });
      const listed = await run(['emulator', 'log', '--bodies', '-o', 'json']);
      expect(JSON.parse(listed.stdout)).toEqual(await platform.requests());
    });
  });
});

describe('a state export', () => {
  it("copies a platform's state to another platform", async () => {
    await whileServing(['--memory'], async () => {
      expect(await run(['emulator', 'assign-role', 'user-role', '--user', 'jane@example.com'])).toMatchObject({
        code: 0,
      });
      expect(await run(['emulator', 'export', 'state.json'])).toMatchObject({ code: 0 });
    });
    expect(readFileSync(join(home.cwd, 'state.json'), 'utf8')).toContain('jane@example.com');
    await whileServing(['--memory'], async () => {
      expect(await run(['emulator', 'import', 'state.json'])).toMatchObject({ code: 0 });
      expect(await run(['emulator', 'export', 'again.json'])).toMatchObject({ code: 0 });
      writeFileSync(join(home.cwd, 'else.json'), '{"format":2}');
      const { ids, ...state } = JSON.parse(readFileSync(join(home.cwd, 'again.json'), 'utf8')) as Record<
        string,
        unknown
      >;
      writeFileSync(join(home.cwd, 'others.json'), JSON.stringify({ ...state, ids: [[1], [2], [3]] }));
      writeFileSync(join(home.cwd, 'newer.json'), JSON.stringify({ ...state, ids, versions: { roles: 99 } }));
      writeFileSync(join(home.cwd, 'cell.json'), JSON.stringify({ ...state, ids, tables: { groups: [{ id: [] }] } }));
      for (const file of ['else', 'others', 'newer', 'cell'])
        expect(await run(['emulator', 'import', `${file}.json`])).toMatchObject({ code: 9 });
      const tables = state['tables'] as Record<string, object[]>;
      const doubled = { ...tables, manifests: [...(tables['manifests'] ?? []), ...(tables['manifests'] ?? [])] };
      writeFileSync(join(home.cwd, 'doubled.json'), JSON.stringify({ ...state, ids, tables: doubled }));
      const stderr = expect.stringContaining('UNIQUE constraint failed: manifests.org_id') as unknown;
      expect(await run(['emulator', 'import', 'doubled.json'])).toMatchObject({ code: 9, stderr });
      expect(await run(['emulator', 'import', 'again.json'])).toMatchObject({ code: 0 });
    });
    expect(readFileSync(join(home.cwd, 'again.json'), 'utf8')).toContain('jane@example.com');
  });

  it('can be written to standard output, but not through a symlink, in place of a device or into a missing folder', async () => {
    writeFileSync(join(home.cwd, 'target.json'), '');
    symlinkSync('target.json', join(home.cwd, 'link.json'));
    symlinkSync('/dev/full', join(home.cwd, 'full'));
    await whileServing(['--memory'], async () => {
      const { code, stdout } = await run(['emulator', 'export', '-']);
      expect({ code, state: JSON.parse(stdout) as unknown }).toMatchObject({ code: 0, state: { format: 1 } });
      expect(await run(['emulator', 'export', 'link.json'])).toMatchObject({ code: 1 });
      expect(await run(['emulator', 'export', 'full'])).toMatchObject({ code: 1 });
      expect(await run(['emulator', 'export', 'none/state.json'])).toMatchObject({ code: 1 });
      const dryRun = await run(['emulator', 'export', 'dry.json', '--dry-run', '-o', 'json']);
      const plan = { file: 'dry.json', rows: expect.any(Number) as number };
      expect(JSON.parse(dryRun.stdout)).toEqual({ dry_run: true, requests: [], plan });
    });
    expect(readFileSync(join(home.cwd, 'target.json'), 'utf8')).toBe('');
    expect(lstatSync(join(home.cwd, 'full')).isSymbolicLink()).toBe(true);
    for (const name of ['-', 'none', 'dry.json']) expect(existsSync(join(home.cwd, name))).toBe(false);
  });
});
