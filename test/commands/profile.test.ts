// The profile commands store and show profiles, reject invalid ones, and never print a secret.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { profileResult } from '../../src/commands/profile/fields.ts';
import { Profile } from '../../src/lib/config/profile-schema.ts';
import type { CliOptions, CliResult } from '../helpers/cli.ts';
import { createProfileHome, type ProfileHome } from '../helpers/profile-home.ts';

const CANARY = 'canary-Zq7/x+1';

let home: ProfileHome;
beforeEach(() => {
  home = createProfileHome();
  onTestFinished(home.remove);
});

const run = (args: string[], options?: CliOptions): Promise<CliResult> => home.run(args, options);

function everyFile(folder = home.folder): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) =>
      entry.isDirectory() ? everyFile(join(folder, entry.name)) : readFileSync(join(folder, entry.name), 'utf8'),
    )
    .join('\n');
}

const ADDRESSES = ['--base-url', 'https://api.example/', '--auth-url', 'https://auth.example'];

describe('profile create', () => {
  it('stores the values from flags and the reference to a secret', async () => {
    const args = [
      '--org',
      '9223372036854775807',
      '--client-id',
      'me',
      '--client-secret-env',
      'MY_SECRET',
      '--environment',
      'production',
    ];
    const { code, stdout, stderr } = await run(['profile', 'create', 'prod', ...ADDRESSES, ...args, '-o', 'json']);
    expect([code, stderr]).toEqual([0, '']);
    const profile = {
      base_url: 'https://api.example',
      auth_url: 'https://auth.example',
      org_id: '9223372036854775807',
      environment: 'production',
      secrets: { client_id: 'me', client_secret: 'env:MY_SECRET' },
    };
    expect(JSON.parse(stdout)).toMatchObject({ name: 'prod', current: true, profile });
    expect(home.settings()).toEqual({ version: 1, current: 'prod', profiles: { prod: profile } });
  });

  it('sets every field that has no flag of its own with --set', async () => {
    const set = ['limits.dsr=1000/m', 'names.xpid=pid', 'allow_commands=true', 'allow_files=/srv/keys'];
    const args = ['profile', 'create', 'prod', ...ADDRESSES, ...set.flatMap((it) => ['--set', it])];
    expect(await run(args)).toMatchObject({ code: 0 });
    expect(home.settings().profiles).toMatchObject({
      prod: { limits: { dsr: '1000/m' }, names: { xpid: 'pid' }, allow_commands: true, allow_files: ['/srv/keys'] },
    });
    const { code, stderr } = await run(['profile', 'create', 'other', ...ADDRESSES, '--set', 'limits.dsr=often']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('limits.dsr')]);
    expect(home.settings().profiles).not.toHaveProperty('other');
  });

  it('uses the platform address for the token service unless another address is given', async () => {
    expect(await run(['profile', 'create', 'one', '--base-url', 'https://api.example'])).toMatchObject({ code: 0 });
    await run(['profile', 'create', 'two', ...ADDRESSES]);
    await run(['profile', 'create', 'dsr', '--dsr-base-url', 'https://dsr.example']);
    const { one, two, dsr } = home.settings().profiles;
    const addresses = [one, two, dsr].map((it) => it?.auth_url);
    expect(addresses).toEqual(['https://api.example', 'https://auth.example', undefined]);
  });

  it('stores a secret from standard input in a file with mode 600, and never prints it', async () => {
    const args = [...ADDRESSES, '--client-id', 'me', '--client-secret-stdin', '--insecure-storage', '--debug'];
    const { code, stdout, stderr } = await run(['profile', 'create', 'dev', ...args], { stdin: `${CANARY}\n` });
    expect([code, stdout]).toEqual([0, expect.stringContaining('Created profile dev')]);
    expect(stdout + stderr).not.toContain(CANARY);
    expect(home.settings().profiles.dev?.secrets).toEqual({ client_id: 'me', client_secret: 'file:' });
    expect(JSON.stringify(home.settings())).not.toContain(CANARY);
    const file = home.secretFile('dev');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ client_secret: CANARY });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const format of ['table', 'json', 'yaml']) {
      const shown = await run(['profile', 'show', 'dev', '--origin', '-o', format]);
      expect([shown.code, shown.stdout + shown.stderr]).toEqual([0, expect.not.stringContaining(CANARY)]);
    }
  });

  it.each([
    [['--client-secret', CANARY]],
    [[`--client-secret=${CANARY}`]],
    [['--workspace-secret', CANARY]],
    [['--client-secret']],
    [['--client-secret-env', CANARY]],
    [['--client-secret-env', 'A', '--client-secret-command', 'b']],
    [['--client-secret-command', ' ']],
    [['--client-secret-stdin', '--workspace-secret-stdin']],
    [['--client-id', 'env:']],
  ])('rejects %j as a usage error without printing a secret', async (args) => {
    for (const format of ['table', 'json']) {
      const { code, stdout, stderr } = await run([
        'profile',
        'create',
        'prod',
        ...ADDRESSES,
        ...args,
        '-o',
        format,
        '--debug',
      ]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).not.toContain(CANARY);
      expect(everyFile()).not.toContain(CANARY);
    }
  });

  it('suggests other flags for a secret that was passed as a value', async () => {
    const { stderr } = await run(['profile', 'create', 'prod', ...ADDRESSES, '--client-secret', CANARY]);
    for (const flag of ['--client-secret-env', '--client-secret-command', '--client-secret-stdin'])
      expect(stderr).toContain(flag);
  });

  it.each([
    [['--base-url', 'http://api.example'], '--base-url'],
    [['--base-url', 'https://u:p@api.example'], '--base-url'],
    [['--dsr-base-url', 'nonsense'], '--dsr-base-url'],
    [[...ADDRESSES, '--environment', 'prod'], '--environment'],
    [[...ADDRESSES, '--vendor-domain', 'a b'], '--vendor-domain'],
    [[], '--base-url'],
    [['--client-id', 'x'], '--base-url'],
  ])('rejects %j with a message that names %s', async (args, flag) => {
    const { code, stderr } = await run(['profile', 'create', 'prod', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(flag)]);
  });

  it.each(['local', '__proto__', '../x', 'a b'])('rejects the name %j', async (name) => {
    expect((await run(['profile', 'create', name, ...ADDRESSES])).code).toBe(2);
  });

  it('rejects an existing name', async () => {
    await run(['profile', 'create', 'prod', ...ADDRESSES]);
    expect((await run(['profile', 'create', 'prod', ...ADDRESSES])).code).toBe(6);
  });

  it('stores references to the variables that contain secrets, not their values, if --from-env is set', async () => {
    const env = {
      CDPADM_BASE_URL: 'https://api.example',
      CDPADM_ORG_ID: '7',
      CDPADM_CLIENT_ID: 'me',
      CDPADM_CLIENT_SECRET: CANARY,
    };
    expect((await run(['profile', 'create', 'ci', '--from-env', '--org', '8'], { env })).code).toBe(0);
    expect(home.settings().profiles.ci).toEqual({
      base_url: 'https://api.example',
      auth_url: 'https://api.example',
      org_id: '8',
      secrets: { client_id: 'me', client_secret: 'env:CDPADM_CLIENT_SECRET' },
    });
    expect(everyFile()).not.toContain(CANARY);
  });

  it('writes nothing in a dry run', async () => {
    const { code, stdout } = await run(['profile', 'create', 'prod', ...ADDRESSES, '-n', '-o', 'json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { dry_run: true, requests: [], plan: { name: 'prod' } }]);
    expect((await run(['profile', 'list', '-o', 'name'])).stdout).toBe('local\n');
  });
});

describe('a profile command', () => {
  beforeEach(async () => {
    await run(['profile', 'create', 'dev', ...ADDRESSES, '--org', '1']);
    await run(['profile', 'create', 'prod', ...ADDRESSES, '--org', '2', '--protected', '--client-secret-env', 'P']);
  });

  it('lists profiles, including the built-in one', async () => {
    const { stdout } = await run(['profile', 'list', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { name: 'dev', current: true, builtin: false, org_id: '1', protected: false },
      { name: 'prod', current: false, builtin: false, base_url: 'https://api.example', protected: true },
      { name: 'local', current: false, builtin: true, base_url: null },
    ]);
  });

  it('shows each value with its origin', async () => {
    writeFileSync(join(home.cwd, '.cdpadm.yaml'), 'workspace_id: 5\nlimits: {dsr: 600/m}\n');
    const env = { CDPADM_PROFILE: 'prod', CDPADM_ACCOUNT_ID: '3', CDPADM_WORKSPACE_SECRET: CANARY };
    const { stdout } = await run(['profile', 'show', '--org', '9', '-o', 'json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({
      profile: { value: 'prod' },
      pinned: false,
      protected: true,
      settings: {
        base_url: { value: 'https://api.example', origin: { kind: 'profile', detail: 'prod' } },
        audience: { value: 'https://api.example', origin: { kind: 'default', detail: 'base_url' } },
        org_id: { value: '9', origin: { kind: 'flag', detail: '--org' } },
        account_id: { value: '3', origin: { kind: 'environment', detail: 'CDPADM_ACCOUNT_ID' } },
        workspace_id: { value: '5', origin: { kind: 'project', detail: join(home.cwd, '.cdpadm.yaml') } },
      },
      secrets: {
        client_secret: { origin: { kind: 'profile', detail: 'prod (env:P)' } },
        workspace_secret: { origin: { kind: 'environment', detail: 'CDPADM_WORKSPACE_SECRET' } },
      },
      origins: {
        protected: { kind: 'profile', detail: 'prod' },
        'limits.dsr': { kind: 'project', detail: join(home.cwd, '.cdpadm.yaml') },
      },
    });
    expect(stdout).not.toContain(CANARY);
  });

  it.each([
    ['prints a client id that is a value in the profile', 'my-client', {}, 'my-client'],
    ['prints the client id if its variable is set', 'env:THE_ID', { THE_ID: 'id-of-variable' }, 'id-of-variable'],
    ['prints `(not shown)` for a client id whose variable is not set', 'env:THE_ID', {}, undefined],
    ['prints `(not shown)` for a client id from a command, which is not run', 'command:touch ran', {}, undefined],
  ])('%s', async (_how, written, variables, shown) => {
    const env = variables as Record<string, string>;
    await run('profile edit dev --set secrets.client_secret=env:S'.split(' '));
    await run(['profile', 'edit', 'dev', '--set', `secrets.client_id=${written}`]);
    const { stdout } = await run(['profile', 'show', 'dev', '-o', 'json'], { env });
    const { secrets } = JSON.parse(stdout) as { secrets: Record<string, { value?: string }> };
    expect(secrets['client_id']?.value).toBe(shown);
    expect(secrets['client_secret']).not.toHaveProperty('value');
    const text = (await run(['profile', 'show', 'dev'], { env })).stdout;
    expect(text).toMatch(new RegExp(`^client_id\t${shown ?? '\\(not shown\\)'}\t`, 'm'));
    expect(existsSync(join(home.cwd, 'ran'))).toBe(false);
  });

  it.each([
    [['profile', 'show', 'dev', '--origin'], 'NAME'],
    [['profile', 'show', '--profile', 'dev', '--origin'], '--profile'],
  ])('prints only the values of a pinned profile, and names the ignored variables: %j', async (line) => {
    const { stdout, stderr } = await run(line, { env: { CDPADM_ORG_ID: '77', CDPADM_ACCESS_TOKEN: 'x' } });
    expect(stdout).toMatch(/^org_id\t1\tprofile: dev$/m);
    expect(stderr).toContain('Profile dev is pinned: CDPADM_ORG_ID, CDPADM_ACCESS_TOKEN have no effect.');
    expect(stderr).toContain('only other flags override its values');
  });

  it('lists the project file keys that are ignored for a pinned profile, and still applies `protected`', async () => {
    const project = 'workspace_id: 9\nenvironment: production\nlimits: {dsr: 1/s}\nprotected: true\noutput: table\n';
    writeFileSync(join(home.cwd, '.cdpadm.yaml'), project);
    const { stdout, stderr } = await run(['profile', 'show', '--profile', 'dev', '--origin']);
    expect(stderr).toContain('Ignored in the project file: workspace_id, environment, limits.');
    expect(stdout).toMatch(/^protected\t.*\.cdpadm\.yaml$/m);
    expect((await run(['profile', 'show', '--origin'])).stderr).not.toContain('ignored');
  });

  it('reports that a profile is not pinned, and prints how to pin it', async () => {
    const { stderr } = await run(['profile', 'show', '--origin']);
    expect(stderr).toContain('Profile dev is not pinned');
    expect(stderr).toContain('--profile dev pins it.');
  });

  it('changes the current profile', async () => {
    expect((await run(['profile', 'use', 'prod', '--dry-run'])).code).toBe(0);
    expect(home.settings().current).toBe('dev');
    expect((await run(['profile', 'use', 'prod'])).code).toBe(0);
    expect(home.settings().current).toBe('prod');
    expect((await run(['profile', 'use', 'local'])).code).toBe(0);
    expect(home.settings().current).toBe('local');
  });

  it.each([['show'], ['use'], ['delete']])(
    'exits with 5 and suggests the nearest name if %s gets an unknown name',
    async (verb) => {
      const { code, stderr } = await run(['profile', verb, 'prd', '--yes']);
      expect([code, stderr]).toEqual([5, expect.stringContaining('prod')]);
    },
  );

  it('exits with 2 if --profile names an unknown profile', async () => {
    expect((await run(['profile', 'show', '--profile', 'prd'])).code).toBe(2);
  });

  it('requires --yes to delete a profile, and --confirm NAME for a protected profile', async () => {
    expect((await run(['profile', 'delete', 'dev'])).code).toBe(2);
    expect((await run(['profile', 'delete', 'dev', '--dry-run'])).code).toBe(0);
    expect((await run(['profile', 'delete', 'prod', '--yes'])).code).toBe(12);
    expect((await run(['profile', 'delete', 'prod', '--confirm', 'dev'])).code).toBe(12);
    expect(Object.keys(home.settings().profiles)).toEqual(['dev', 'prod']);
    const { stdout } = await run(['profile', 'delete', 'dev', '--yes', '-o', 'json']);
    expect(JSON.parse(stdout)).toEqual({ deleted: 'dev', was_current: true });
    expect((await run(['profile', 'delete', 'prod', '--confirm', 'prod'])).code).toBe(0);
    expect(home.settings()).toEqual({ version: 1, profiles: {} });
  });

  it('does not delete the built-in profile', async () => {
    expect((await run(['profile', 'delete', 'local', '--yes'])).code).toBe(2);
  });

  it('reports the line and column of a syntax error in the settings file, and does not change the file', async () => {
    const file = home.settingsFile;
    writeFileSync(file, '{\n  "profiles": {,\n');
    for (const args of [
      ['profile', 'list'],
      ['profile', 'use', 'dev'],
      ['auth', 'test'],
    ]) {
      const { code, stderr } = await run(args);
      expect([code, stderr]).toEqual([9, expect.stringContaining(`${file}:2:16`)]);
    }
    expect(readFileSync(file, 'utf8')).toBe('{\n  "profiles": {,\n');
  });
});

describe('control characters in a settings file', () => {
  // Control characters (except tabs and newlines) and bidi overrides, which must not reach a terminal.
  const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

  it.each([
    ['profile list', 'evil'],
    ['profile show evil --origin', 'other'],
    ['auth test', '/nowhere/'],
    ['doctor', '/nowhere/'],
  ])('are not printed by %s', async (line, shown) => {
    const profile = {
      base_url: 'http://127.0.0.1:9',
      org_id: '1',
      account_id: '2',
      auth_url: 'http://127.0.0.1:9/\u202ex',
      ca_file: '/nowhere/\u001b[2Jx',
      names: { 'word\u001b]0;x\u0007': 'other\u009b31m' },
      secrets: { client_id: 'id\u001b[2J\u202e', client_secret: 'command:echo \u001b[31m' },
    };
    mkdirSync(join(home.folder, 'config'), { recursive: true });
    writeFileSync(home.settingsFile, JSON.stringify({ version: 1, current: 'evil', profiles: { evil: profile } }));
    const { stdout, stderr } = await run([...line.split(' '), '--no-color', '--retries', '0'], { tty: true });
    expect(stdout + stderr).toContain(shown);
    expect(stdout + stderr).not.toMatch(CONTROLS);
  });
});

it('describes every profile field in the result schema', () => {
  const [described, stored] = [profileResult().shape, Profile.shape];
  expect(Object.keys(described).sort()).toEqual(Object.keys(stored).sort());
  const [secrets, storedSecrets] = [described.secrets, stored.secrets].map((one) => one.def.innerType.shape);
  expect(Object.keys(secrets ?? {}).sort()).toEqual(Object.keys(storedSecrets ?? {}).sort());
});
