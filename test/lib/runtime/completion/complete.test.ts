// What may stand where the cursor is, asked as the shells' scripts ask.
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openKnownIds } from '../../../../src/lib/config/known-ids.ts';
import { entries } from '../../../../src/program.ts';
import { type CliHome, createCliHome } from '../../../helpers/cli.ts';

/** Where bash begins a new word. */
const BREAKS = ' \t\n"\'><=;|&(:';

let home: CliHome;

beforeAll(() => {
  home = createCliHome();
  const config = join(home.folder, 'config');
  mkdirSync(config);
  writeFileSync(
    join(config, 'config.json'),
    JSON.stringify({
      version: 1,
      current: 'prod',
      profiles: {
        prod: { base_url: 'https://api.example.com/', org_id: 1, workspace_id: 2 },
        dev: { base_url: 'https://dev.example.com', org_id: 3 },
      },
    }),
  );
  const cache = join(home.folder, 'cache');
  const prod = openKnownIds(cache, {
    profile: 'prod',
    base_url: 'https://api.example.com',
    org_id: '1',
    workspace_id: '2',
  });
  prod.replace('role_id', ['admin-role', 'user-role']);
  prod.replace('task_id', ['audiences:view', 'audiences:*', 'rules:*']);
  prod.replace('pipeline_id', ['customers']);
  prod.add('pipeline_run_id of customers', ['1001', '1002']);
  openKnownIds(cache, { profile: 'dev', base_url: 'https://dev.example.com', org_id: '3' }).replace('role_id', [
    'dev-role',
  ]);
});
afterAll(() => home.remove());

async function ask(...args: string[]): Promise<{ kind: string | undefined; lines: string[] }> {
  const { code, stdout, stderr } = await home.run(['__complete', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [kind, ...lines] = stdout.trimEnd().split('\n');
  return { kind, lines };
}

/** The values alone, in fish's form. */
async function values(line: string): Promise<string[]> {
  const { kind, lines } = await ask('fish', 'cdpadm', line);
  expect(kind).toMatch(/^values/);
  return lines.map((text) => text.split('\t')[0] ?? '');
}

describe('words of the program', () => {
  test('commands', async () => {
    expect(await values('cdpadm ')).toEqual(entries.map(({ name }) => name));
    expect(await values('cdpadm emul')).toEqual(['emulator']);
    expect(await values('cdpadm --profile prod emulator fault ')).toEqual(['add', 'list', 'clear']);
    expect(await values('cdpadm help roles pu')).toEqual(['pull', 'push']);
    expect(await values('cdpadm roles nonsense ')).toEqual([]);
  });

  test('flags: the own ones first, those already given left out unless they may stand twice', async () => {
    const flags = await values('cdpadm roles create x --name y --task z --');
    expect(flags.slice(0, 2)).toEqual(['--from', '--description']);
    expect(flags).toContain('--task');
    expect(flags).toContain('--output');
    expect(flags).not.toContain('--name');
    expect(await values('cdpadm roles create -- --')).toEqual([]);
  });

  test.each<[string, string[]]>([
    ['cdpadm roles push --fail-on ', ['escalation']],
    ['cdpadm schema rol', ['roles']],
    ['cdpadm roles diff -o js', ['json']],
    ['cdpadm roles matrix -qo ht', ['html']],
    ['cdpadm roles list -o ht', []],
    ['cdpadm --color=al', ['--color=always']],
    ['cdpadm pipelines runs x --status failed que', ['queued']],
    ['cdpadm completion ', ['bash', 'zsh', 'fish', 'powershell']],
    ['cdpadm seed template --format ', ['csv', 'ndjson']],
    ['cdpadm seed bulk --format par', ['parquet']],
    ['cdpadm connections list --service-provider PROVIDER_', ['PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_D']],
    ['cdpadm roles templates admin-r', ['admin-role']],
  ])('%j', async (line, expected) => {
    expect(await values(line)).toEqual(expected);
  });

  test.each(['cdpadm $(echo roles) ', 'cdpadm roles get $(echo x) ', 'cdpadm roles $(echo get) ', 'cdpadm `date` '])(
    'nothing is guessed behind %j',
    async (line) => {
      expect((await ask('bash', BREAKS, 'cdpadm', line)).lines).toEqual([]);
    },
  );

  test('identity types wait for their value', async () => {
    expect(await ask('fish', 'cdpadm', 'cdpadm dsr submit --identity ema')).toEqual({
      kind: 'values nospace',
      lines: ['email='],
    });
  });

  test.each([
    ['cdpadm groups create -f ', 'files'],
    ['cdpadm roles push ', 'files'],
    ['cdpadm dsr results x --dir ', 'folders'],
    ['cdpadm warehouse diff ', 'folders'],
  ])('%j is the shell’s affair', async (line, kind) => {
    expect(await ask('fish', 'cdpadm', line)).toEqual({ kind, lines: [] });
  });
});

describe('what is known of the platform', () => {
  test.each<[string, string[]]>([
    ['cdpadm roles get ', ['admin-role', 'user-role']],
    ['cdpadm roles delete admin-role ', ['user-role']],
    ['cdpadm --profile dev roles get ', ['dev-role']],
    ['cdpadm roles get --profile=dev ', ['dev-role']],
    ['cdpadm roles get --org 7 ', []],
    // Which profile that is is not known, and the one in use would be a guess.
    ['cdpadm --profile $(echo dev) roles get ', []],
    ['cdpadm roles update x --add-task ', ['audiences:view', 'audiences:*', 'rules:*']],
    ['cdpadm roles who-can audiences:', ['audiences:view', 'audiences:*']],
    ['cdpadm pipelines run customers ', ['1001', '1002']],
    ['cdpadm pipelines run other ', []],
    ['cdpadm --profile ', ['prod', 'dev', 'local']],
    ['cdpadm profile use ', ['prod', 'dev', 'local']],
    ['cdpadm profile rename ', ['prod', 'dev']],
  ])('%j', async (line, expected) => {
    expect(await values(line)).toEqual(expected);
  });

  test('tasks that were never asked for are those of the specification', async () => {
    expect(await values('cdpadm --profile local roles who-can privacy')).toContain('privacy:settings');
  });

  test('a broken settings file says nothing', async () => {
    const folder = join(home.folder, 'broken');
    mkdirSync(folder);
    writeFileSync(join(folder, 'config.json'), '{');
    const env = { CDPADM_CONFIG_DIR: folder };
    const { stdout } = await home.run(['__complete', 'fish', 'cdpadm', 'cdpadm --profile '], { env });
    expect(stdout).toBe('values\nlocal\tthe embedded platform\n');
  });

  test('a project file chooses the profile', async () => {
    const cwd = join(home.folder, 'project');
    mkdirSync(cwd);
    writeFileSync(join(cwd, '.cdpadm.yaml'), '# ours\nprofile: "dev" # for now\n');
    const { stdout } = await home.run(['__complete', 'fish', 'cdpadm', 'cdpadm roles get '], { cwd });
    expect(stdout).toBe('values\ndev-role\n');
  });
});

describe('each shell has its form', () => {
  test.each<[string, string[]]>([
    ['cdpadm roles who-can aud', ['audiences:view', 'audiences:\\*']],
    ['cdpadm roles who-can audiences:', ['view', '\\*']],
    ['cdpadm roles who-can "audiences:', ['audiences:view', 'audiences:*']],
    ["cdpadm roles update x --add-task='rul", ['rules:*']],
    ['cdpadm --color=al', ['always']],
  ])('bash: %j', async (line, expected) => {
    expect((await ask('bash', BREAKS, 'cdpadm', line)).lines).toEqual(expected);
  });

  test('zsh: a colon would begin the description', async () => {
    expect((await ask('zsh', 'roles', 'who-can', 'audiences:')).lines).toEqual([
      'audiences\\:view:Audiences: View only',
      'audiences\\:*:Audiences: Full access',
    ]);
  });

  test('PowerShell: what it would read otherwise is quoted', async () => {
    const { lines } = await ask('powershell', 'cdpadm', 'cdpadm roles who-can rul');
    expect(lines[0]).toMatch(/^'rules:\*'\trules:\*\t/);
  });

  test('an unknown shell gets nothing', async () => {
    expect(await ask('tcsh', 'x')).toEqual({ kind: '', lines: [] });
  });
});

test('ids are kept as commands meet them, for this user alone', async () => {
  const own = createCliHome();
  onTestFinished(() => own.remove());
  const env = { CDPADM_PROFILE: 'local' };
  for (const line of ['roles list', 'roles tasks']) expect((await own.run(line, { env })).code).toBe(0);
  const folder = join(own.folder, 'cache', 'ids', '_local');
  expect(readdirSync(folder).sort()).toEqual(['_role_id', '_task_id']);
  for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  const { stdout } = await own.run(['__complete', 'fish', 'cdpadm', 'cdpadm roles get admin'], { env });
  expect(stdout).toBe('values\nadmin-role\n');
});
