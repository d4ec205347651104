// Runs the commands in the bulk-run recipes as written against an embedded platform, with the variables that
// Kubernetes, Slurm and other systems would set.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import { EXIT } from '../../src/lib/errors/entry.ts';
import { type CliHome, type CliResult, createCliHome } from '../helpers/cli.ts';
import { startTestEmulator, type TestEmulator } from '../helpers/emulator.ts';
import { type Manifest, unknownFields } from '../helpers/kubernetes.ts';
import { startPartStore } from '../helpers/part-store.ts';
import { PROGRAM, root } from '../helpers/root.ts';

const USERS = 400;
const hasParallel = spawnSync('parallel', ['--version']).status === 0;

interface Container {
  args: string[];
  env: { name: string; value?: string; valueFrom?: { secretKeyRef?: object; fieldRef?: { fieldPath: string } } }[];
  resources: { requests: object; limits: object };
  securityContext: object;
  volumeMounts: object[];
}
interface JobManifest extends Manifest {
  spec: {
    completions?: number;
    podFailurePolicy?: { rules: { action: string; onExitCodes?: { values: number[] } }[] };
    template: { spec: { containers: [Container]; securityContext: object } };
  };
}

let home: CliHome;
let platform: TestEmulator;
/** The folder that the pages call /data. */
let data: string;
let env: Record<string, string>;
/** Number of seeds that the platform starts with. */
let before = 0;
beforeEach(async () => {
  home = createCliHome();
  platform = await startTestEmulator();
  data = join(home.folder, 'shared');
  const bin = join(home.folder, 'bin');
  for (const folder of [bin, data, join(data, 'results'), join(home.folder, 'tmp')]) mkdirSync(folder);
  program('cdpadm', `exec "${process.execPath}" "${PROGRAM}" "$@"`);
  const PATH = [bin, process.env['PATH']].join(delimiter);
  env = { ...home.env, ...environmentOf(platform.ready), CDPADM_ENVIRONMENT: 'development', PATH };
  before = 0;
  before = await seeded();
  writeUsers(USERS);
});
afterEach(async () => {
  await platform.close();
  home.remove();
});

function writeUsers(count: number): void {
  writeFileSync(join(data, 'users.ndjson'), Array.from({ length: count }, (_, index) => user(index + 1)).join(''));
}

function program(name: string, script: string): void {
  writeFileSync(join(home.folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

function user(id: number): string {
  const attribute = {
    attribute_name: 'Orders',
    calculation_type: 'count',
    cutoff_date: '2024-01-31',
    seed: { value: '3' },
  };
  const workspace = platform.ready.workspace_id;
  return `${JSON.stringify({ environment: 'development', xpid: id, calculated_attributes: { [workspace]: [attribute] } })}\n`;
}

const blocksOf = (name: string, language: string): string[] =>
  [...readFileSync(join(root, 'docs/recipes', `${name}.md`), 'utf8').matchAll(/^```(\w+)\n([^]*?)^```$/gm)].flatMap(
    ([, found, block = '']) => (found === language ? [block] : []),
  );

/** Returns the commands with this test's folders in place of the page's. */
const localized = (words: string): string =>
  words.replace(/(?<!\w)\/data\b/g, data).replace(/(?<!\w)\/tmp\//g, `${home.folder}/tmp/`);

async function bash(script: string, more: Record<string, string | undefined> = {}): Promise<CliResult> {
  const child = spawn('bash', ['-e', '-c', localized(script)], {
    cwd: home.cwd,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: code as number, stdout, stderr };
}

const seeded = async (): Promise<number> => {
  const { json } = await platform.send('GET', '/_control/counts');
  return (json as { seeds: number }).seeds - before;
};

describe('seed-kubernetes.md', () => {
  const manifests = (): Manifest[] =>
    blocksOf('seed-kubernetes', 'yaml').flatMap((block) =>
      parseAllDocuments(block).map((one) => one.toJS() as Manifest),
    );
  const jobs = (): JobManifest[] => manifests().filter((one): one is JobManifest => one.kind === 'Job');

  /** Runs the container's command in process, with the variables that the container would have. */
  function pod({ spec }: JobManifest, index: number): Promise<CliResult> {
    const [{ args, env: variables }] = spec.template.spec.containers;
    const own = variables.flatMap(({ name, value }) =>
      value === undefined || name in environmentOf(platform.ready) || name === 'CDPADM_ENVIRONMENT'
        ? []
        : [[name, localized(value)]],
    );
    const number = String(index);
    const words = args.map((arg) => localized(arg).replaceAll('$(JOB_COMPLETION_INDEX)', number));
    return home.run(words, { env: { ...env, ...Object.fromEntries(own), JOB_COMPLETION_INDEX: number } });
  }

  it('uses only fields from the Kubernetes schemas', () => {
    expect(manifests().map(({ kind }) => kind)).toEqual(['PersistentVolumeClaim', 'Job', 'Job']);
    expect(manifests().flatMap(unknownFields)).toEqual([]);
    const [job] = jobs() as [JobManifest];
    const [container] = job.spec.template.spec.containers;
    expect(
      unknownFields({
        ...job,
        spec: { ...job.spec, template: { spec: { containers: [{ ...container, imgae: 'x' }] } } },
      } as Manifest),
    ).toEqual(['Job.spec.template.spec.containers[0].imgae']);
    expect(() => unknownFields({ ...job, spec: { ...job.spec, completions: '8' } } as unknown as Manifest)).toThrow(
      'must be integer',
    );
  });

  it('runs every container unprivileged, with limits and with secrets from the cluster', () => {
    const claim = manifests()[0] as unknown as { spec: { accessModes: string[] } };
    expect(claim.spec.accessModes).toEqual(['ReadWriteMany']);
    for (const { spec } of jobs()) {
      const {
        containers: [container],
        ...podSpec
      } = spec.template.spec;
      expect(podSpec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(Object.keys(container.resources.limits)).toContain('memory');
      expect(Object.keys(container.resources.requests)).toEqual(['cpu', 'memory']);
      const names = container.env.map(({ name }) => name);
      for (const kind of ['STATE', 'CACHE', 'CONFIG', 'DATA']) expect(names).toContain(`CDPADM_${kind}_DIR`);
      const secrets = container.env.filter(({ name }) => /_(KEY|SECRET)$/.test(name));
      for (const { valueFrom } of secrets) expect(valueFrom).toHaveProperty('secretKeyRef');
    }
  });

  it('fails an index or the job only on exit codes for errors that a retry would not fix', () => {
    const rules = jobs()[0]?.spec.podFailurePolicy?.rules.map(({ action, onExitCodes }) => [
      action,
      onExitCodes?.values,
    ]);
    expect(rules).toEqual([
      ['Ignore', undefined],
      ['FailIndex', [EXIT.partial]],
      ['FailJob', [EXIT.usage, EXIT.auth, EXIT.conflict, EXIT.invalidInput]],
    ]);
  });

  it('sends every user once, repeats nothing in a new pod, and merges the results', async () => {
    const [seed, results] = jobs() as [JobManifest, JobManifest];
    const count = seed.spec.completions ?? 0;
    for (let index = 0; index < count - 1; index++) expect(await pod(seed, index)).toMatchObject({ code: 0 });
    expect((await pod(results, 0)).code).toBe(1);
    expect(await pod(seed, count - 1)).toMatchObject({ code: 0 });
    const requests = (await platform.api.requests()).length;
    expect(await pod(seed, 0)).toMatchObject({ code: 0 });
    expect(await platform.api.requests()).toHaveLength(requests);
    const joined = await pod(results, 0);
    expect(joined.code, joined.stderr).toBe(0);
    expect(JSON.parse(joined.stdout)).toMatchObject({ accepted: USERS, rejected: 0, shards: count, missing: [] });
    expect(await seeded()).toBe(USERS);
  });
});

it('sends every user once with seed-slurm.md, from an array with its own minimum and step', async () => {
  const [script = '', join = ''] = blocksOf('seed-slurm', 'bash');
  expect(script).toMatch(/^#!\/bin\/bash\n(#SBATCH --[a-z-]+(=\S+)?\n)+export/);
  const array = {
    SLURM_ARRAY_TASK_MIN: '10',
    SLURM_ARRAY_TASK_MAX: '30',
    SLURM_ARRAY_TASK_STEP: '20',
    SLURM_ARRAY_TASK_COUNT: '2',
  };
  for (const task of ['10', '30']) {
    const { code, stdout, stderr } = await bash(script, { ...array, SLURM_ARRAY_TASK_ID: task });
    expect(code, stderr).toBe(0);
    writeFileSync(`${data}/results/${task}.log`, stderr + stdout);
  }
  const joined = await bash(join);
  expect(joined.code, joined.stderr).toBe(0);
  expect(joined.stdout).toMatch(new RegExp(`^accepted\\s+${USERS}$`, 'm'));
  expect(await seeded()).toBe(USERS);
});

it('sends 8,000 users from several processes with seed-parallel.md', async ({ skip }) => {
  if (!hasParallel) return skip('needs GNU parallel');
  const count = 4 * 2000;
  writeUsers(count);
  const [script = ''] = blocksOf('seed-parallel', 'bash');
  const first = await bash(script);
  expect(first.code, first.stderr).toBe(0);
  expect(first.stdout).toMatch(new RegExp(`^accepted\\s+${count}$`, 'm'));
  expect(await seeded()).toBe(count);
});

it('sends the file once with seed-cron.md, and nothing on later runs', async () => {
  const lines = blocksOf('seed-cron', 'crontab').map((block) => {
    const found = /^\S+ \S+ \* \* \* seed (.*)$/m.exec(block)?.[1] ?? '';
    return { line: found, state: { CDPADM_STATE_DIR: localized(/^CDPADM_STATE_DIR=(.*)$/m.exec(block)?.[1] ?? '') } };
  });
  const [one, many] = lines as [(typeof lines)[0], (typeof lines)[0]];
  expect(await bash(one.line, one.state)).toEqual({ code: 0, stdout: '', stderr: '' });
  const requests = (await platform.api.requests()).length;
  expect(await bash(one.line, one.state)).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await platform.api.requests()).toHaveLength(requests);
  expect(await seeded()).toBe(USERS);
  rmSync(join(data, 'seed.json'));
  expect(await bash(many.line, many.state)).toMatchObject({ code: 0 });
  expect(
    await bash(many.line.replace('--shard 1/2', '--shard 2/2').replace('seed-1', 'seed-2'), many.state),
  ).toMatchObject({ code: 0 });
  const [joined = ''] = blocksOf('seed-cron', 'bash');
  expect((await bash(joined)).stdout).toMatch(new RegExp(`^accepted\\s+${USERS}$`, 'm'));
});

describe('seed-container.md', () => {
  it('sends the file with no home folder and with only the variables from the command line', async () => {
    const words = [
      'shift',
      '[ "$1" = registry.example/cdpadm:0.15.0 ] && break',
      'case $1,$2 in --env,*=*) export "$2";; esac',
    ];
    program('docker', `while :; do\n${words.join('\n')}\ndone\nshift\nunset HOME\nexec cdpadm "$@"`);
    const [script = ''] = blocksOf('seed-container', 'bash');
    const { code, stderr } = await bash(script);
    expect(code, stderr).toBe(0);
    expect(await seeded()).toBe(USERS);
  });

  it('sends every user once from an AWS Batch array', async () => {
    const { command } = parse(blocksOf('seed-container', 'json')[0] ?? '') as { command: string[] };
    const logs: string[] = [];
    for (const index of ['0', '1']) {
      const array = { AWS_BATCH_JOB_ARRAY_INDEX: index, AWS_BATCH_JOB_ARRAY_SIZE: '2' };
      const { code, stderr, stdout } = await home.run(command.map(localized), { env: { ...env, ...array } });
      expect(code, stderr).toBe(0);
      writeFileSync(join(home.folder, `log-${index}`), stderr + stdout);
      logs.push(
        `*log-${index}*) cat "${join(home.folder, `log-${index}`)}";;`,
        `*job-1:${index}*) echo log-${index};;`,
      );
    }
    program('aws', `case "$*" in\n${logs.join('\n')}\n*job-1*) echo 2;;\nesac`);
    const [, collect = ''] = blocksOf('seed-container', 'bash');
    const { code, stderr, stdout } = await bash(collect, { JOB: 'job-1' });
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(new RegExp(`^accepted\\s+${USERS}$`, 'm'));
    expect(await seeded()).toBe(USERS);
  });
});

describe('seed-warehouse-unload.md', () => {
  it('seeds the platform from presigned URLs of compressed parts', async ({ skip }) => {
    if (!hasParallel) return skip('needs GNU parallel');
    const [sign = '', check = '', send = '', confirm = ''] = blocksOf('seed-warehouse-unload', 'bash');
    const { names, url } = await startPartStore();
    const listed = names.map((name) => `2026-11-20 10:00:00 1234 ${name}`).join('\\n');
    const signed = `echo "${url}/\${3#s3://}?X-Amz-Signature=$5"`;
    program('aws', `case $2 in\nls) printf '${listed}\\n';;\npresign) ${signed};;\nesac`);
    for (const step of [sign, check, send]) {
      const { code, stderr } = await bash(step);
      expect(code, stderr).toBe(0);
    }
    const { code, stdout, stderr } = await bash(confirm);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^accepted\s+800$/m);
    expect(await seeded()).toBe(800);
  });

  it('lists durations that match the rate limits', () => {
    const page = readFileSync(join(root, 'docs/recipes/seed-warehouse-unload.md'), 'utf8');
    const rows = [...page.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) => row.split('|').map((cell) => cell.trim()));
    const [limits = [], , ...times] = rows;
    const number = (cell: string): number => Number(cell.replace(/\D/g, ''));
    const seconds = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };
    expect(times).toHaveLength(4);
    for (const [users = '', ...cells] of times)
      for (const [index, cell] of cells.entries()) {
        const [amount = '', unit = ''] = cell.split(' ');
        const size = seconds[unit as keyof typeof seconds];
        const exact = number(users) / (number(limits[index + 1] ?? '') * 100) / size;
        expect(Math.abs(Number(amount) - exact), `${users} ${cell}`).toBeLessThanOrEqual(0.051);
      }
  });
});

describe('dsr-parts.md', () => {
  it('submits every row of a list once, and names the part that must be corrected', async () => {
    const people = Array.from({ length: 60 }, (_, index) => `erasure,person${index}@example.com\n`);
    writeFileSync(join(data, 'subjects.csv'), `subject_request_type,email\n${people.join('')}`);
    const [check = '', split = '', submit = '', total = ''] = blocksOf('dsr-parts', 'bash');
    const vendor = { CDPADM_VENDOR_DOMAIN: platform.ready.vendor_domain };
    const run = (script: string): Promise<CliResult> => bash(script, vendor);
    for (const step of [check, split.replace('--lines 500', '--lines 25')])
      expect(await run(step)).toMatchObject({ code: 0 });
    expect(readdirSync(join(data, 'parts'))).toEqual(['part-aa.csv', 'part-ab.csv', 'part-ac.csv']);
    // Damage one part, as a manual edit might.
    const last = join(data, 'parts/part-ac.csv');
    const intact = readFileSync(last, 'utf8');
    writeFileSync(last, intact.replace('person50@example.com', 'NULL'));
    expect((await run(submit)).stdout).toContain('part-ac.csv: exit code 9');
    const first = await run(total);
    expect(first).toMatchObject({ code: 9, stdout: expect.stringMatching(/^rows\s+50$/m) as string });
    expect(first.stderr).toMatch(/^Part .*part-ac\.csv failed: .*part-ac\.csv:2:\d+: email: /m);
    writeFileSync(last, intact);
    expect((await run(submit)).stdout).toBe('');
    const { code, stderr, stdout } = await run(`${total.trim()} -o json`);
    expect(code, stderr).toBe(0);
    const counts = JSON.parse(stdout) as Record<string, number>;
    const outcomes = ['submitted', 'existing', 'failed', 'unknown', 'skipped', 'left'].map((key) => counts[key] ?? 0);
    expect([counts.rows, outcomes.reduce((sum, one) => sum + one)]).toEqual([60, 60]);
    expect((await platform.api.requests()).filter(({ method }) => method === 'POST')).toHaveLength(60);
  });
});
