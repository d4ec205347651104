// Definition files may come from a repository. Without permission, they cannot run commands or read arbitrary files,
// and they can never send the program's own secrets.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestEmulator, type TestEmulator } from '../../helpers/emulator.ts';
import { openPlatformHome, type PlatformHome } from '../../helpers/platform-home.ts';
import { CONNECTION, PIPELINE, SECRET_ENV, stageSync } from '../../helpers/warehouse-files.ts';

// Most commands are rejected and write nothing, so the tests share a platform until a command writes.
let platform: TestEmulator;
beforeAll(async () => {
  platform = await startTestEmulator();
});
afterAll(() => platform.close());

let home: PlatformHome;
beforeEach(async () => {
  home = await openPlatformHome({}, platform);
  stageSync(home.cwd, 3);
  home.write('crm.yaml', CONNECTION);
  const { base_url, auth_url, org_id, account_id, workspace_id } = home.platform.ready;
  const created = await home.run([
    ...['profile', 'create', 'dev', '--base-url', base_url, '--auth-url', auth_url, '--org', String(org_id)],
    ...['--account', String(account_id), '--workspace', String(workspace_id)],
    ...['--client-id', home.platform.ready.client_id, '--client-secret-env', 'MY_OWN_SECRET', '--yes'],
  ]);
  if (created.code !== 0) throw new Error(created.stderr);
});
afterEach(async () => {
  if ((await home.writes()).length > 0) {
    await platform.close();
    platform = await startTestEmulator();
  }
  await home.close();
});

/** Writes a connection whose password is this reference, both into the folder and as a single file. */
function refer(reference: string): void {
  const text = CONNECTION.replace('env:WAREHOUSE_PASSWORD', JSON.stringify(reference));
  home.write('sync/connections/crm.yaml', text);
  home.write('crm.yaml', text);
}

/** Commands that read a connection from a file. All of them must accept and reject the same references. */
const COMMANDS = [
  'warehouse diff sync',
  'warehouse apply sync --dry-run',
  'warehouse apply sync --yes',
  'connections create -f crm.yaml --dry-run',
  'connections create -f crm.yaml --yes',
];
const WRITES = COMMANDS.filter((line) => line.endsWith('--yes'));
const env = { ...SECRET_ENV, MY_OWN_SECRET: 'mine' };
const run = (line: string) => home.json(line, { env });

describe.each(COMMANDS)('%s', (line) => {
  it('does not run a command without permission, and prints the flag and the profile setting that allow it', async () => {
    refer(`command:touch ${join(home.cwd, 'ran')}; echo secret`);
    const { code, error } = await run(line);
    expect([code, error.code]).toEqual([12, 'references.not_allowed']);
    expect(error.hint).toMatch(/--allow-commands.*profile edit NAME --set allow_commands=true/);
    expect(error.issues).toMatchObject([{ path: 'config.password', line: 12 }]);
    expect(existsSync(join(home.cwd, 'ran'))).toBe(false);
    expect(await home.writes()).toEqual([]);
  });

  it('accepts a command if --allow-commands is set', async () => {
    refer('command:echo secret');
    expect((await run(`${line} --allow-commands`)).code).toBe(0);
  });

  it.each(['/etc/passwd', '../../outside.txt', 'link.txt', 'link/outside.txt'])(
    'does not read files outside the folder: %s',
    async (path) => {
      home.write('../outside.txt', 'secret');
      mkdirSync(join(home.cwd, '../elsewhere'), { recursive: true });
      writeFileSync(join(home.cwd, '../elsewhere/outside.txt'), 'secret');
      for (const folder of ['.', 'sync/connections']) {
        symlinkSync('/etc/passwd', join(home.cwd, folder, 'link.txt'));
        symlinkSync(join(home.cwd, '../elsewhere'), join(home.cwd, folder, 'link'));
      }
      refer(`file:${path}`);
      const { code, error } = await run(line);
      expect([code, error.code]).toEqual([12, 'references.not_allowed']);
      expect(error.hint).toContain('--set allow_files=DIR');
      expect(await home.writes()).toEqual([]);
    },
  );

  it('reads a file in the folder without treating it as a definition', async () => {
    for (const folder of ['.', 'sync/connections']) {
      home.write(join(folder, 'key.json'), '{"a":1}');
    }
    refer('file:key.json');
    expect((await run(line)).code).toBe(0);
  });

  it.each(['env:CDPADM_CLIENT_SECRET', 'env:cdpadm_workspace_secret', 'env:MY_OWN_SECRET', 'env: MY_OWN_SECRET'])(
    "rejects a reference to one of the program's secrets: %s",
    async (reference) => {
      refer(reference);
      const { code, error } = await run(`${line} --allow-commands`);
      expect([code, error.issues]).toEqual([9, [expect.objectContaining({ path: 'config.password', line: 12 })]]);
      expect(error.issues[0]?.message).toContain("is one of this program's secrets");
      expect(await home.writes()).toEqual([]);
    },
  );
});

it('reads a file without its byte order mark and its last line break', async () => {
  refer('file:password.txt');
  home.write('sync/connections/password.txt', 'secret');
  expect((await run('warehouse apply sync --yes')).code).toBe(0);
  for (const [text, steps] of [
    ['\ufeffsecret\r\n', []],
    ['secret\n\n', [{ secrets: ['config.password'] }]],
  ]) {
    home.write('sync/connections/password.txt', text as string);
    expect((await run('warehouse diff sync')).data).toMatchObject({ steps });
  }
});

describe('a profile', () => {
  const set = async (assignment: string) => {
    expect((await home.run(`profile edit dev --set ${assignment}`)).code).toBe(0);
  };

  it.each(WRITES)('allows %s to run commands and read files in its allowed folders', async (line) => {
    await set('allow_commands=true');
    await set(`allow_files=/nowhere,${join(home.cwd, 'keys')}`);
    mkdirSync(join(home.cwd, 'keys'));
    home.write('keys/password.txt', 'secret\n');
    refer('command:echo secret');
    const profile = { env: { ...env, CDPADM_PROFILE: 'dev' } };
    expect((await home.json(`${line} --dry-run`, profile)).code).toBe(0);
    refer(`file:${join(home.cwd, 'keys/password.txt')}`);
    expect((await home.json(line, profile)).code).toBe(0);
    const shown = await home.json('profile show dev');
    expect(shown.data).toMatchObject({ allow_commands: true, allow_files: ['/nowhere', join(home.cwd, 'keys')] });
  });

  it('rejects a relative folder', async () => {
    expect((await home.run('profile edit dev --set allow_files=keys')).code).toBe(2);
  });
});

describe('--password-from', () => {
  const UPDATE = 'connections update crm --role loader --yes --password-from';
  beforeEach(async () => {
    expect((await run('connections create -f crm.yaml --yes')).code).toBe(0);
  });

  it('accepts any file and any command', async () => {
    home.write('../outside.txt', 'secret');
    expect((await run(`${UPDATE} file:../outside.txt`)).code).toBe(0);
    expect((await home.json([...UPDATE.split(' '), 'command:echo other'], { env })).code).toBe(0);
  });

  it.each(['CONFIG', 'CACHE'])(
    "rejects a file in the program's %s folder that contains secrets or tokens",
    async (kind) => {
      const folder = join(home.env[`CDPADM_${kind}_DIR`] ?? '', kind === 'CONFIG' ? 'secrets' : 'tokens');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'one.json'), '{}');
      const { code, error } = await run(`${UPDATE} file:${join(folder, 'one.json')}`);
      expect([code, error.issues[0]?.message]).toEqual([
        9,
        expect.stringContaining("is one of this program's secrets"),
      ]);
    },
  );

  it("rejects one of the program's secrets", async () => {
    const { code, error } = await run(`${UPDATE} env:CDPADM_CLIENT_SECRET`);
    expect([code, error.issues[0]?.path]).toEqual([9, '--password-from']);
  });
});

describe.each([
  ['env:NO_SUCH_VARIABLE', 'comes from the environment variable NO_SUCH_VARIABLE, which is not set'],
  ['file:no-such-file', 'no-such-file, which cannot be read (ENOENT)'],
  ['file:utf16.txt', 'utf16.txt, which cannot be read (it is not UTF-8)'],
])('the unresolvable reference %s', (reference, sentence) => {
  beforeEach(() => {
    const text = Buffer.from('\ufeffsecret\r\n', 'utf16le');
    for (const folder of ['.', 'sync/connections']) writeFileSync(join(home.cwd, folder, 'utf16.txt'), text);
  });

  it.each(COMMANDS.filter((line) => !line.includes('diff')))('stops %s before it sends anything', async (line) => {
    refer(reference);
    const { code, error } = await run(line);
    expect([code, error.code]).toEqual([4, 'secrets.missing']);
    expect(error.message).toContain(sentence);
    expect(error.message).toContain('crm');
    expect(error.hint).toContain('Put the secret there');
    expect(await home.writes()).toEqual([]);
  });

  it('stops a dry run of an update', async () => {
    refer('env:WAREHOUSE_PASSWORD');
    expect((await run('connections create -f crm.yaml --yes')).code).toBe(0);
    refer(reference);
    expect((await run('connections update crm -f crm.yaml --dry-run')).code).toBe(4);
  });

  it('is reported only as a warning by warehouse diff, which sends nothing', async () => {
    refer(reference);
    const { code, stderr } = await home.run('warehouse diff sync', { env });
    expect([code, stderr]).toEqual([0, expect.stringContaining(sentence)]);
  });
});

it('lists every reference to a secret in the plan', async () => {
  refer('command:echo secret');
  const plan = await home.run('warehouse diff sync --allow-commands', { env });
  expect(plan.stdout).toContain('config.password ← command:echo secret');
  const { data } = await home.json<{ steps: { references: unknown }[] }>('warehouse diff sync --allow-commands', {
    env,
  });
  expect(data.steps[0]?.references).toEqual({ 'config.password': 'command:echo secret' });
  const line = 'connections create -f crm.yaml --allow-commands';
  expect((await home.run(`${line} --dry-run`, { env })).stdout).toContain('config.password ← command:echo secret');
  const dry = await home.json<{ plan: { references: unknown } }>(`${line} --dry-run`, { env });
  expect(dry.data.plan.references).toEqual({ 'config.password': 'command:echo secret' });
  const created = await home.run(`${line} --yes`, { env });
  expect(created.stderr).toContain('config.password ← command:echo secret');
  const update = 'connections update crm -f crm.yaml --allow-commands --dry-run';
  expect((await home.json<typeof dry.data>(update, { env })).data.plan.references).toEqual(dry.data.plan.references);
});

it("applies the rules for references to a partner feed's key too", async () => {
  home.write('pipeline.yaml', `${PIPELINE}partner_feed_id: 1\npartner_feed_key: 'command:echo x'\n`);
  expect((await run('pipelines create -f pipeline.yaml --yes')).code).toBe(12);
});
