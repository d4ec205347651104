// Small rules for individual commands: usage errors for mistyped values, file formats by extension, previews in dry
// runs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { flagName, recordOf } from '../../src/lib/runtime/command-line/define-command.ts';
import { leavesBelow, loadProgram } from '../helpers/command-tree.ts';
import { openPlatformHome, type PlatformHome } from '../helpers/platform-home.ts';
import { FIXTURES, stageFiles } from '../sweeps/stage.ts';

let home: PlatformHome;
beforeAll(async () => {
  home = await openPlatformHome({ fixtures: FIXTURES });
  stageFiles(home.cwd);
});
afterAll(() => home.close());

describe('a command', () => {
  const ADDRESS = '--base-url https://api.example.com --client-id me --client-secret-env CDP_SECRET';

  test('prints, in a dry run, the profile that create or copy would store', async () => {
    const created = await home.run(`profile create dev ${ADDRESS} --dry-run`);
    expect(created.code, created.stderr).toBe(0);
    expect(created.stdout).toContain('base_url: https://api.example.com');
    expect(created.stdout).toContain('client_secret: env:CDP_SECRET');
    expect((await home.run(`profile create dev ${ADDRESS}`)).code).toBe(0);
    const copied = await home.run('profile copy dev dev2 --dry-run');
    expect(copied.stdout).toContain('would be copied to dev2');
    expect(copied.stdout).toContain('base_url: https://api.example.com');
    const { data } = await home.json<{ plan: unknown }>('profile copy dev dev2 --dry-run');
    expect(data.plan).toMatchObject({ from: 'dev', to: 'dev2', profile: { base_url: 'https://api.example.com' } });
  });

  test('prints the location of a piped secret, not the secret, in a dry run', async () => {
    const args = 'profile create piped --base-url https://api.example.com --client-secret-stdin --insecure-storage -n';
    const { code, stdout, stderr } = await home.run(args, { stdin: 'hush-hush\n' });
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('client_secret: "file:"');
    expect(stdout + stderr).not.toContain('hush-hush');
  });

  test('writes a prepared file in the format that its extension indicates, and the result in the -o format', async () => {
    writeFileSync(join(home.cwd, 'people.ndjson'), '{"email":"a@people.example"}\n');
    const line = 'dsr prepare people.ndjson --regulation gdpr --type access --out ready.ndjson -o json --profile local';
    const { code, stdout, stderr } = await home.run(line);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 1, out: 'ready.ndjson' });
  });

  it.each(['seed template', 'seed template --format ndjson', 'completion bash', 'completion powershell'])(
    'writes the same text to files with any extension: %s',
    async (line) => {
      const { stdout } = await home.run(line);
      for (const file of ['text', 'text.csv', 'text.json', 'text.ndjson', 'text.yaml', 'text.md', 'text.txt']) {
        expect((await home.run(`${line} --out ${file}`)).code).toBe(0);
        expect(home.read(file), file).toBe(stdout);
      }
      expect((await home.run(`${line} --out text.json -o json`)).code).toBe(0);
      expect(JSON.parse(home.read('text.json'))).toMatchObject(line.startsWith('seed') ? { text: stdout } : {});
    },
  );

  test('exports a profile in the format that the file extension indicates', async () => {
    await home.run(`profile create named ${ADDRESS}`);
    for (const [file, flags] of [
      ['named.yaml', ''],
      ['named.yml', ''],
      ['named.json', ''],
      ['named.profile', '-o json'],
    ] as const) {
      expect((await home.run(`profile export named --out ${file} ${flags}`.trim())).code).toBe(0);
      const text = home.read(file);
      expect(text.startsWith('{'), file).toBe(!/^named\.ya?ml$/.test(file));
      expect(parse(text)).toMatchObject({ base_url: 'https://api.example.com' });
    }
    expect((await home.run('profile import named.yaml again')).code).toBe(0);
  });

  it.each([
    ['names.foo=bar', 'names.foo is not in the specification. It is kept'],
    ['names.xpidd=bar', 'did you mean `xpid`?'],
    ['names.osz_*=bar_*', 'names.osz_* is not in the specification'],
    ['names.xpid=pid', ''],
    ['names.osa_*=android_*', ''],
    ['names.PROVIDER_A=frostbank', ''],
    ['names.cloud_iam_role_arn=role', ''],
  ])('accepts --set %s, and warns if the name is unknown', async (assignment, warning) => {
    await home.run(`profile create words ${ADDRESS}`);
    const { code, stderr } = await home.run(['profile', 'edit', 'words', '--set', assignment, '--dry-run']);
    expect(code).toBe(0);
    if (warning === '') expect(stderr).not.toContain('Warning');
    else expect(stderr).toContain(warning);
  });
});

it.each(['pipelines run customers abc', 'pipelines watch customers 1.5', 'pipelines run no-such-pipeline -- -1'])(
  'rejects the run id in `%s` as a usage error',
  async (line) => {
    const { code, stderr } = await home.run(line);
    expect(code).toBe(2);
    expect(stderr).toContain('Invalid run id');
  },
);

it.each([
  ['http://certificates.example/c.pem', '--certificate must be an https address'],
  ['https://', 'invalid address'],
])('rejects the certificate address %s as a usage error', async (address, message) => {
  home.write('kept.headers', 'x-opendsr-processor-domain: opendsr.platform.example\n');
  home.write('kept.json', '{}');
  const files = ['--headers', 'kept.headers', '--body', 'kept.json'];
  const { code, stderr } = await home.run(['dsr', 'callbacks', 'verify', ...files, '--certificate', address]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('Credentials');
});

test('writes YAML with --save-map if the file extension is .yaml', async () => {
  home.write('people.csv', 'Mail,subject_request_type\na@example.com,access\n');
  const line = 'dsr prepare people.csv --regulation gdpr --map Mail=email --out ready.csv --save-map map.yaml';
  const { code, stderr } = await home.run(line);
  expect(code, stderr).toBe(0);
  expect(home.read('map.yaml')).toBe('Mail: email\n');
});

test('warns only about the role that `roles create` adds', async () => {
  const made = 'roles create hm --name Hm --description d --task audiences:view --task audiences:* --dry-run';
  const { code, stderr } = await home.run(made);
  expect(code, stderr).toBe(0);
  const advice = stderr.split('\n').filter((line) => line.startsWith('Warning: hm.tasks'));
  expect(advice).toHaveLength(1);
  expect(advice[0]).toContain('audiences:*');
});

test('warns about a role once, even if the manifest changes before the prompt is answered', async () => {
  const stdin = new PassThrough();
  let questions = 0;
  const words = ['--name', 'Hm', '--description', 'd', '--task', 'audiences:view', '--task', 'audiences:*'];
  const { code, stderr } = await home.run(['roles', 'create', 'hm', ...words], {
    ...{ tty: true, stdin, env: { CDPADM_ACCESSIBLE: '1' } },
    onOutput: (_stdout, text) => {
      const asked = text.match(/\(y\/N\)/g)?.length ?? 0;
      if (asked === questions) return;
      questions = asked;
      const other = 'roles create other --name Other --description d --task audiences:view --yes';
      void (asked === 1 ? home.run(other) : Promise.resolve()).then(() => stdin.write('y\n'));
    },
  });
  expect([code, questions], stderr).toEqual([0, 2]);
  expect(stderr.match(/hm\.tasks/g)).toHaveLength(1);
});

test('requires the secret again when a connection is updated', async () => {
  const { data } = await home.json<{ id: string; service_provider: string }[]>('connections list');
  const withPassword = data.find(({ service_provider: provider }) => provider !== 'PROVIDER_D');
  const { code, stderr } = await home.run(`connections update ${withPassword?.id ?? ''} --name Other --yes`);
  expect(code).toBe(2);
  expect(stderr).toContain('must be passed again: the platform never returns this secret');
  expect(stderr).not.toContain('mask');
});

describe('a path for output files', async () => {
  const flags = leavesBelow(await loadProgram()).flatMap(([path, command]) =>
    Object.entries(recordOf(command)?.flags ?? {})
      .filter(
        ([, { help, value = '' }]) =>
          /^(file|dir)$/.test(value) && /^(write|save|store|results file|file for|folder for) /.test(help),
      )
      .map(([key]) => `${path} ${flagName(key)}`),
  );
  const written = [...flags, 'warehouse export', 'emulator sample-warehouse', 'roles list --trace-file'];

  it.each(written)('is rejected if it is standard output: %s -', async (line) => {
    const { code, stderr } = await home.run(`${line} -`);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/ needs a (file|folder), not standard output/),
    });
  });

  it.each(flags)('is rejected if it is empty: %s ""', async (line) => {
    const { code, stderr } = await home.run([...line.split(' '), '']);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/--[a-z-]+ needs a value\./) });
  });

  it('is tested for the output flags of single and bulk commands', () => {
    expect(written).toContain('seed bulk --rejects');
    expect(written).toContain('dsr submit --results');
    expect(written).toContain('dsr results --dir');
    expect(written.filter((line) => line.endsWith(' --keep'))).toHaveLength(3);
  });
});

it.each(['list', 'cancel'])('rejects an empty group id: dsr %s --group-id ""', async (verb) => {
  const { code, stderr } = await home.run(['dsr', verb, '--group-id', '']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--group-id needs a value.')]);
});
