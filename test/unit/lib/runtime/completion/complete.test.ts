// Completions at the cursor, requested in the same way as in the shell scripts.
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { EmulatorReady } from '../../../../../src/lib/emulator/index.ts';
import { openKnownIds } from '../../../../../src/lib/config/known-ids.ts';
import { entries } from '../../../../../src/program.ts';
import { resolvePaths } from '../../../../../src/lib/config/paths.ts';
import { openRolesStore } from '../../../../../src/lib/config/roles-store.ts';
import { systemClock } from '../../../../../src/lib/kernel/clock.ts';
import { registerEmulator } from '../../../../../src/lib/runtime/emulator/running.ts';
import { type CliHome, createCliHome } from '../../../../helpers/cli.ts';

/** Bash's word-break characters. */
const BREAKS = ' \t\n"\'><=;|&(:';

const GROUP = 'id: household\nsource_user_attribute: household_id\nattributes: [{id: city, type: latest}]\n';

let home: CliHome;
let revision: string;

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
  prod.replace('connection_id', ['main-warehouse']);
  prod.replace('data_model_id', ['buyers']);
  prod.replace('attribute_id of household', ['city', 'is_member']);
  prod.replace('request_group_id', ['batch-7']);
  const scope = { organization: '1', address: 'https://api.example.com' };
  const entry = { reason: 'push', profile: 'prod', plan: 'x', manifest: { roles: [] } };
  revision = openRolesStore(join(home.folder, 'state'), scope, systemClock).saveRevision(entry);
  registerEmulator(resolvePaths(home.env, process.platform, home.folder), {
    ...{ port: 4999, data: null, started: 0 },
    ready: { control_url: 'http://127.0.0.1:4999' } as EmulatorReady,
  });
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

/** Requests suggestions in the fish format, and returns only the values. */
async function values(line: string): Promise<string[]> {
  const { kind, lines } = await ask('fish', 'cdpadm', line);
  expect(kind).toMatch(/^values/);
  return lines.map((text) => text.split('\t')[0] ?? '');
}

describe('completion', () => {
  test('suggests commands', async () => {
    expect(await values('cdpadm ')).toEqual(entries.map(({ name }) => name));
    expect(await values('cdpadm emul')).toEqual(['emulator']);
    expect(await values('cdpadm --profile prod emulator fault ')).toEqual(['add', 'list', 'clear']);
    expect(await values('cdpadm help roles pu')).toEqual(['pull', 'push']);
    expect(await values('cdpadm help ex')).toEqual(['exit-codes']);
    expect(await values('cdpadm help exit-codes ')).toEqual([]);
    expect(await values('cdpadm roles nonsense ')).toEqual([]);
  });

  test("suggests the command's own flags first, and omits flags already given unless they are repeatable", async () => {
    const flags = await values('cdpadm roles create x --name y --task z --');
    expect(flags.slice(0, 2)).toEqual(['--from', '--description']);
    expect(flags).toContain('--task');
    expect(flags).toContain('--output');
    expect(flags).not.toContain('--name');
    expect(await values('cdpadm roles create -- --')).toEqual([]);
  });

  test.each<[string, string[]]>([
    ['cdpadm roles push --fail-on ', ['escalation']],
    ['cdpadm schema rol', ['roles', 'roles-test']],
    ['cdpadm roles diff -o js', ['json']],
    ['cdpadm roles matrix -qo ht', ['html']],
    ['cdpadm roles list -o ht', []],
    ['cdpadm --color=al', ['--color=always']],
    ['cdpadm pipelines runs x --status failed que', ['queued']],
    ['cdpadm pipelines runs x --status failed fai', []],
    ['cdpadm pipelines runs x --status failed --status=queued --status fai', []],
    ['cdpadm pipelines runs x --status failed --status=fai', []],
    ['cdpadm pipelines runs x --status failed --status=que', ['--status=queued']],
    ['cdpadm pipelines runs x --status failed --fail-if', ['--fail-if-stale']],
    ['cdpadm pipelines create --schedule once --schedule on', ['once', 'on_demand']],
    ['cdpadm completion ', ['bash', 'zsh', 'fish', 'powershell']],
    ['cdpadm seed template --format ', ['csv', 'ndjson']],
    ['cdpadm seed bulk --format par', ['parquet']],
    ['cdpadm connections list --service-provider PROVIDER_', ['PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_D']],
    ['cdpadm roles templates admin-r', ['admin-role']],
    ['cdpadm --annotations ', ['auto', 'github', 'none']],
    ['cdpadm schema output role', ['roles']],
    ['cdpadm schema output roles h', ['history']],
    ['cdpadm schema output emulator fault ', ['add', 'list', 'clear']],
    ['cdpadm schema output roles list ', []],
    ['cdpadm schema output nonsense ', []],
    ['cdpadm schema roles ', []],
    ['cdpadm pipelines create --schedule ', ['interval', 'once', 'on_demand']],
    ['cdpadm pipelines update x --frequency=w', ['--frequency=weekly']],
    ['cdpadm pipelines create --state ', ['new', 'active', 'paused']],
    ['cdpadm pipelines create --pipeline-type ', ['user_attributes', 'events']],
    ['cdpadm pipelines create --sync-mode ', ['incremental', 'full']],
    ['cdpadm pipelines create --iterator-data-type ', ['timestamp', 'datetime_tz']],
    ['cdpadm connections create --state ', ['new', 'active', 'inactive']],
    ['cdpadm data-models update x --state ', ['new', 'active', 'inactive']],
    ['cdpadm connections create --password-from ', ['env:', 'file:', 'keychain:', 'command:']],
    ['cdpadm connections create --password-from env:HOM', ['env:HOME']],
    ['cdpadm auth login --workspace-key ', ['env:', 'command:', 'keychain:']],
    ['cdpadm auth login --client-secret-env HOM', ['HOME']],
    ['cdpadm profile edit prod --set base', ['base_url=']],
    ['cdpadm profile edit prod --set lim', ['limits.']],
    ['cdpadm groups attributes add g x=', ['x=latest', 'x=boolean_or', 'x=sum', 'x=average']],
    ['cdpadm groups attributes add g x', []],
    ['cdpadm dsr submit --map mail=ema', ['mail=email']],
    ['cdpadm dsr submit --map mail', []],
    ['cdpadm dsr callbacks listen --on com', ['completed']],
    ['cdpadm dsr callbacks listen --on completed ', []],
    ['cdpadm dsr callbacks listen --on completed CMD --on an', ['any']],
    ['cdpadm dsr callbacks listen --host 127', ['127.0.0.1']],
    ['cdpadm emulator start --port ', ['4010', '0']],
    ['cdpadm emulator fault add --status 40', ['400', '401', '403', '404', '409']],
    ['cdpadm api GET /disc', ['/discovery/']],
    ['cdpadm api PATCH /disc', []],
  ])('suggests values for %j', async (line, expected) => {
    expect(await values(line)).toEqual(expected);
  });

  test.each<[string, string[]]>([
    ['cdpadm roles list --fields ', ['role_id', 'name', 'tasks', 'description']],
    ['cdpadm roles list --fields=role_id,n', ['--fields=role_id,name']],
    ['cdpadm roles list --fields name,role_id,', ['name,role_id,tasks', 'name,role_id,description']],
    ['cdpadm roles history --fields re', ['revision', 'reason']],
    ['cdpadm pipelines doctor x --fields h', ['healthy']],
    ['cdpadm roles diff --fields ', ['change', 'role_id', 'added', 'removed', 'escalations']],
    ['cdpadm dsr submit --bulk x.csv --fields r', ['rows', 'requests', 'retries', 'results']],
    ['cdpadm dsr submit --wait --fields group', ['group_id']],
    // The columns are roles, which only the platform knows.
    ['cdpadm roles matrix --fields ', []],
    ['cdpadm --fields ', []],
  ])('suggests fields for %j', async (line, expected) => {
    expect(await values(line)).toEqual(expected);
  });

  test.each(['cdpadm $(echo roles) ', 'cdpadm roles get $(echo x) ', 'cdpadm roles $(echo get) ', 'cdpadm `date` '])(
    'does not suggest anything after %j',
    async (line) => {
      expect((await ask('bash', BREAKS, 'cdpadm', line)).lines).toEqual([]);
    },
  );

  test('does not add a space after an identity type, because the value follows', async () => {
    expect(await ask('fish', 'cdpadm', 'cdpadm dsr submit --identity ema')).toEqual({
      kind: 'values nospace',
      lines: ['email='],
    });
  });

  test('does not add a space after a field of a profile, because a value or a key follows', async () => {
    expect(await ask('fish', 'cdpadm', 'cdpadm profile edit dev --set li')).toEqual({
      kind: 'values nospace',
      lines: ['limits.'],
    });
    expect((await ask('fish', 'cdpadm', 'cdpadm profile edit dev --set ')).kind).toBe('values nospace');
  });

  test.each([
    ['cdpadm groups create -f ', 'files'],
    ['cdpadm roles push ', 'files'],
    ['cdpadm dsr results x --dir ', 'folders'],
    ['cdpadm warehouse diff ', 'folders'],
  ])('lets the shell complete the path in %j', async (line, kind) => {
    expect(await ask('fish', 'cdpadm', line)).toEqual({ kind, lines: [] });
  });
});

describe('completion of ids and profiles', () => {
  test.each<[string, string[]]>([
    ['cdpadm roles get ', ['admin-role', 'user-role']],
    ['cdpadm roles delete admin-role ', ['user-role']],
    ['cdpadm --profile dev roles get ', ['dev-role']],
    ['cdpadm roles get --profile=dev ', ['dev-role']],
    ['cdpadm roles get --org 7 ', []],
    // The profile is unknown, and using the current profile would be only a guess.
    ['cdpadm --profile $(echo dev) roles get ', []],
    ['cdpadm roles update x --add-task ', ['audiences:view', 'audiences:*', 'rules:*']],
    ['cdpadm roles who-can audiences:', ['audiences:view', 'audiences:*']],
    ['cdpadm pipelines run customers ', ['1001', '1002']],
    ['cdpadm pipelines run other ', []],
    ['cdpadm --profile ', ['prod', 'dev', 'local']],
    ['cdpadm profile use ', ['prod', 'dev', 'local']],
    ['cdpadm profile rename ', ['prod', 'dev']],
    ['cdpadm profile create ', []],
    ['cdpadm --profile prod --profile dev --profile ', ['local']],
    ['cdpadm roles create x --from admin', ['admin-role', 'admin-compliance-role']],
    ['cdpadm --org ', ['1', '3']],
    ['cdpadm --workspace ', ['2']],
    ['cdpadm --account ', []],
    ['cdpadm roles delete x --confirm ', ['prod']],
    ['cdpadm profile delete dev --confirm ', ['dev']],
    ['cdpadm pipelines reset customers --confirm ', ['customers']],
    ['cdpadm pipelines create --connection-id ', ['main-warehouse']],
    ['cdpadm pipelines update customers --data-model-id=', ['--data-model-id=buyers']],
    ['cdpadm connections create ', []],
    ['cdpadm groups attributes remove household ', ['city', 'is_member']],
    ['cdpadm groups attributes remove household city ', ['is_member']],
    ['cdpadm dsr list --group-id ', ['batch-7']],
    ['cdpadm roles rollback ', ['REVISION']],
    ['cdpadm --profile dev roles rollback ', []],
    ['cdpadm emulator env --port ', ['4999']],
  ])('suggests values for %j', async (line, expected) => {
    expect((await values(line)).map((value) => (value === revision ? 'REVISION' : value))).toEqual(expected);
  });

  test('suggests tasks from the specification if none are cached', async () => {
    expect(await values('cdpadm --profile local roles who-can privacy')).toContain('privacy:settings');
  });

  test("suggests paths after `file:` in each shell's format, and hidden files only after a dot", async () => {
    const cwd = join(home.folder, 'secrets');
    mkdirSync(join(cwd, 'keys', 'deep'), { recursive: true });
    for (const name of ['pass word.txt', '.hidden', 'keys/one.json']) writeFileSync(join(cwd, name), '');
    const tab = async (...args: string[]): Promise<string[]> =>
      (await home.run(['__complete', ...args], { cwd })).stdout.trimEnd().split('\n');
    const create = 'cdpadm connections create --password-from';
    expect(await tab('fish', 'cdpadm', `${create} file:`)).toEqual(['values', 'file:keys/', 'file:pass word.txt']);
    expect(await tab('fish', 'cdpadm', `${create}=file:ke`)).toEqual(['values nospace', '--password-from=file:keys/']);
    expect(await tab('bash', BREAKS, 'cdpadm', `${create} file:pa`)).toEqual(['values', 'pass\\ word.txt']);
    expect(await tab('bash', BREAKS, 'cdpadm', `${create} file:keys/d`)).toEqual(['values nospace', 'keys/deep/']);
    expect(await tab('zsh', ...`${create} file:${cwd}/keys/o`.split(' ').slice(1))).toEqual([
      'values',
      `file\\:${cwd}/keys/one.json`,
    ]);
    expect(await tab('fish', 'cdpadm', `${create} file:.h`)).toEqual(['values', 'file:.hidden']);
    expect(await tab('fish', 'cdpadm', `${create} file:nowhere/`)).toEqual(['values']);
  });

  test('ignores an invalid settings file', async () => {
    const folder = join(home.folder, 'broken');
    mkdirSync(folder);
    writeFileSync(join(folder, 'config.json'), '{');
    const env = { CDPADM_CONFIG_DIR: folder };
    const { stdout } = await home.run(['__complete', 'fish', 'cdpadm', 'cdpadm --profile '], { env });
    expect(stdout).toBe('values\nlocal\tthe embedded platform\n');
  });

  test('uses the profile from a project file', async () => {
    const cwd = join(home.folder, 'project');
    mkdirSync(cwd);
    writeFileSync(join(cwd, '.cdpadm.yaml'), '# ours\nprofile: "dev" # for now\n');
    const { stdout } = await home.run(['__complete', 'fish', 'cdpadm', 'cdpadm roles get '], { cwd });
    expect(stdout).toBe('values\ndev-role\n');
  });
});

describe('completion for each shell', () => {
  test.each<[string, string[]]>([
    ['cdpadm roles who-can aud', ['audiences:view', 'audiences:\\*']],
    ['cdpadm roles who-can audiences:', ['view', '\\*']],
    ['cdpadm roles who-can "audiences:', ['audiences:view', 'audiences:*']],
    ["cdpadm roles update x --add-task='rul", ['rules:*']],
    ['cdpadm --color=al', ['always']],
  ])('completes %j in the format that bash expects', async (line, expected) => {
    expect((await ask('bash', BREAKS, 'cdpadm', line)).lines).toEqual(expected);
  });

  test('escapes colons for zsh, where a colon starts the description', async () => {
    expect((await ask('zsh', 'roles', 'who-can', 'audiences:')).lines).toEqual([
      'audiences\\:view:Audiences: View only',
      'audiences\\:*:Audiences: Full access',
    ]);
  });

  test('quotes special characters for PowerShell', async () => {
    const { lines } = await ask('powershell', 'cdpadm', 'cdpadm roles who-can rul');
    expect(lines[0]).toMatch(/^'rules:\*'\trules:\*\t/);
  });

  test('does not return anything for an unknown shell', async () => {
    expect(await ask('tcsh', 'x')).toEqual({ kind: '', lines: [] });
  });
});

test('uses private files to cache the ids that commands read', async () => {
  const own = createCliHome();
  onTestFinished(() => own.remove());
  const env = { CDPADM_PROFILE: 'local' };
  for (const line of ['roles list', 'roles tasks']) expect((await own.run(line, { env })).code).toBe(0);
  const folder = join(own.folder, 'cache', 'ids', '_local');
  expect(readdirSync(folder).sort()).toEqual(['_role_id', '_task_id']);
  for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  const tab = async (line: string): Promise<string[]> => {
    const { stdout } = await own.run(['__complete', 'fish', 'cdpadm', line], { env });
    return stdout.split('\n').slice(1, -1);
  };
  expect(await tab('cdpadm roles get admin')).toEqual(['admin-role']);

  const submit =
    'dsr submit --regulation gdpr --type access --identity email=a@people.example --group-id batch-7 --yes';
  for (const line of [
    'groups create -f group.yaml --yes',
    'groups list',
    submit,
    'roles create fresh --from user-role --yes',
  ]) {
    writeFileSync(join(own.cwd, 'group.yaml'), GROUP);
    const { code, stderr } = await own.run(line, { env });
    expect(code, stderr).toBe(0);
  }
  expect(await tab('cdpadm groups attributes remove household ')).toEqual(['city']);
  expect(await tab('cdpadm dsr cancel --group-id ')).toEqual(['batch-7']);
  expect(await tab('cdpadm roles rollback ')).toEqual([expect.stringMatching(/^\d{8}T\d{9}Z-[0-9a-f]{6}$/)]);
});
