// Runs each step of the workflow files in docs/recipes unchanged, against an embedded platform.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { topics } from '../../src/commands/help/topics.ts';
import type { EmulatorReady } from '../../src/lib/emulator/index.ts';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import { interrupted } from '../../src/lib/runtime/interrupt.ts';
import { type CliHome, type CliResult, createCliHome, runCli } from '../helpers/cli.ts';
import { PROGRAM, root } from '../helpers/root.ts';
import { SECRET_ENV, stageSync } from '../helpers/warehouse-files.ts';

interface Step {
  run?: string;
  uses?: string;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
}

interface Workflow {
  env: Record<string, string>;
  jobs: Record<string, { if?: string; env?: Record<string, string>; steps: Step[] }>;
}

const recipes = readdirSync(join(root, 'docs/recipes')).filter((name) => name.endsWith('.yml'));
const recipe = (name: string): Workflow => parse(readFileSync(join(root, 'docs/recipes', name), 'utf8')) as Workflow;

let home: CliHome;
let env: Record<string, string>;
const stop = new AbortController();
let serving: Promise<CliResult>;

beforeAll(async () => {
  home = createCliHome();
  const ready = await new Promise<EmulatorReady>((resolve, reject) => {
    const onOutput = (stdout: string): void => {
      if (stdout.includes('\n')) resolve(JSON.parse(stdout) as EmulatorReady);
    };
    const args = ['emulator', 'start', '--memory', '--port', '0', '-o', 'json'];
    serving = runCli(args, { env: home.env, cwd: home.cwd, stop, onOutput });
    serving.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  const files = {
    GITHUB_STEP_SUMMARY: join(home.cwd, 'summary.md'),
    GITHUB_ENV: join(home.cwd, 'env.txt'),
  };
  const runner = { CI: 'true', GITHUB_ACTIONS: 'true', ...files };
  env = { ...home.env, ...environmentOf(ready), ...runner, ...npmSettings(), CDPADM_PACKAGE: packed() };
  for (const file of Object.values(files)) writeFileSync(file, '');
  expect((await runCli(['roles', 'pull'], { env, cwd: home.cwd })).code).toBe(0);
});
afterAll(async () => {
  stop.abort(interrupted());
  await serving;
  home.remove();
});

/** Returns a tarball like one from `npm pack`. Its package runs the built program and has no dependencies. */
function packed(): string {
  const folder = join(home.folder, 'package');
  mkdirSync(folder);
  const manifest = { name: 'cdpadm', version: '0.0.1', type: 'module', bin: { cdpadm: 'cdpadm.js' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const start = `#!/usr/bin/env node\nawait import(${JSON.stringify(PROGRAM)});\n`;
  writeFileSync(join(folder, 'cdpadm.js'), start);
  execFileSync('tar', ['-czf', join(home.folder, 'cdpadm-0.0.1.tgz'), '-C', home.folder, 'package']);
  return join(home.folder, 'cdpadm-0.0.1.tgz');
}

/** Points `--global` to a folder of this test and keeps npm offline. */
function npmSettings(): Record<string, string> {
  const prefix = join(home.folder, 'global');
  const quiet = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' };
  const own = { npm_config_prefix: prefix, npm_config_cache: join(home.folder, 'npm'), npm_config_offline: 'true' };
  return { ...quiet, ...own, PATH: `${join(prefix, 'bin')}:${process.env.PATH ?? ''}` };
}

const commandsOf = (file: string, job: string): string[] =>
  (recipe(file).jobs[job]?.steps ?? []).flatMap(({ run }) => (run === undefined ? [] : [run]));

/** Returns the settings that a recipe step can see: the `env` of its workflow, its job and the step itself. */
function settingsOf(line: string): Record<string, string> {
  const named = recipes.flatMap((file) => {
    const { env: shared, jobs } = recipe(file);
    return Object.values(jobs).flatMap(({ env: own, steps }) =>
      steps.filter(({ run }) => run === line).flatMap((it) => Object.keys({ ...shared, ...own, ...it.env })),
    );
  });
  if (named.length === 0) return env;
  const isVisible = (name: string): boolean => !/^CDPADM_(?!\w+_DIR$)/.test(name) || named.includes(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isVisible(name)));
}

/** Runs one step as the runner does, with only its own settings; returns its exit code and output. */
async function step(line: string, more: Record<string, string> = {}): Promise<{ code: number; output: string }> {
  const child = spawn('sh', ['-e', '-c', line], {
    cwd: home.cwd,
    env: { ...settingsOf(line), ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: code as number, output: stdout + stderr };
}

/** Variables that earlier steps set with GITHUB_ENV. */
const settings = (): Record<string, string> =>
  Object.fromEntries(
    readFileSync(env.GITHUB_ENV ?? '', 'utf8')
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [line.split(/=(.*)/s, 2) as [string, string]])),
  );

/** Runs every step of the plan job as on a separate runner; returns the outcomes of the steps and the summary. */
async function planned(more: Record<string, string> = {}) {
  for (const name of ['GITHUB_ENV', 'GITHUB_STEP_SUMMARY']) writeFileSync(env[name] ?? '', '');
  const steps = [];
  for (const line of commandsOf('roles-push-with-plan.yml', 'plan'))
    steps.push(await step(line, { ...more, ...settings() }));
  return { steps, summary: readFileSync(env.GITHUB_STEP_SUMMARY ?? '', 'utf8') };
}

/** Gives each simulated machine its own cdpadm folders. */
const createHomeEnv = (name: string): Record<string, string> =>
  Object.fromEntries(
    ['STATE', 'CACHE', 'DATA', 'CONFIG'].map((kind) => [`CDPADM_${kind}_DIR`, join(home.folder, name, kind)]),
  );

const git = (...args: string[]): void => {
  const author = ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.com', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...author, ...args], { cwd: home.cwd, stdio: 'pipe' });
};

const commit = (): void => {
  git('add', 'roles.yaml');
  git('commit', '--quiet', '-m', 'Change roles');
};

/** Makes the working directory a clone of a repository next to it. */
function repository(): void {
  git('init', '--quiet');
  git('init', '--quiet', '--bare', join(home.folder, 'origin.git'));
  git('remote', 'add', 'origin', join(home.folder, 'origin.git'));
  commit();
}

const change = (from: string | RegExp, to: string): void => {
  const file = join(home.cwd, 'roles.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
};

test.each(recipes)("links %s from the main page, its area's page and the help", (name) => {
  const page = (path: string): string => readFileSync(join(root, path), 'utf8');
  expect(page('README.md')).toContain(`](docs/recipes/${name})`);
  expect(page(`docs/${name.split('-')[0] ?? ''}.md`)).toContain(`](recipes/${name})`);
  expect(topics.recipes).toContain(` ${name} `);
});

test.each(recipes)('prints %s unchanged for `help recipes`', async (name) => {
  const printed = await runCli(['help', 'recipes', name], { columns: 40 });
  expect(printed).toEqual({ code: 0, stdout: readFileSync(join(root, 'docs/recipes', name), 'utf8'), stderr: '' });
});

test('does not name repository files in the help, because not every installation has these files', () => {
  const pages = [...Object.values(topics), readFileSync(join(root, 'dist/help-100.txt'), 'utf8')];
  expect(pages.flatMap((page) => page.match(/\S*(?:docs\/|README|[A-Z]+\.md)\S*/g) ?? [])).toEqual([]);
});

describe('every job', () => {
  const jobs = recipes.flatMap((file) =>
    Object.entries(recipe(file).jobs).map(([job, { steps }]) => ({ file, job, steps })),
  );

  test('installs the pinned version', () => {
    const installs = jobs.map(({ steps }) => steps.findIndex(({ run }) => run?.startsWith('npm install') === true));
    const lines = jobs.map(({ steps }, index) => steps[installs[index] ?? -1]?.run);
    expect(new Set(lines)).toEqual(new Set(['npm install --global --ignore-scripts "$CDPADM_PACKAGE"']));
    const packages = recipes.map((file) => recipe(file).env.CDPADM_PACKAGE);
    expect(new Set(packages)).toEqual(new Set(['https://releases.example.com/cdpadm-0.15.0.tgz']));
    for (const { steps } of jobs) expect(steps.some(({ env: own }) => own?.CDPADM_PACKAGE)).toBe(false);
  });

  test('selects the same Node version before it installs the program', () => {
    const chosen = jobs.map(({ steps }) => steps.slice(0, 2).map(({ uses, with: values }) => ({ uses, values })));
    const wanted = [
      { uses: 'actions/checkout@v4', values: undefined },
      { uses: 'actions/setup-node@v4', values: { 'node-version': 22 } },
    ];
    expect(chosen).toEqual(jobs.map(() => wanted));
  });

  test('does not install any other package', () => {
    const lines = jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    expect(lines.filter((line) => /\b(npx|npm)\b/.test(line) && !line.endsWith('"$CDPADM_PACKAGE"'))).toEqual([]);
  });
});

describe('recipes', () => {
  test('roles-drift.yml exits with 0, or with 10 and a summary of the differences', async () => {
    const [install = '', read = '', diff = ''] = commandsOf('roles-drift.yml', 'drift');
    expect(await step(install)).toMatchObject({ code: 0 });
    writeFileSync(join(home.cwd, '.cdpadm.yaml'), 'protected: true');
    for (let run = 0; run < 2; run++) expect(await step(read)).toMatchObject({ code: 0 });
    expect(readFileSync(join(home.cwd, '.cdpadm.yaml'), 'utf8')).toBe('protected: true\naccess: read\n');
    expect(await step(diff)).toMatchObject({ code: 0 });
    change(/name: User\n/, 'name: Someone\n');
    expect(await step(diff)).toMatchObject({ code: 10 });
    expect(readFileSync(env.GITHUB_STEP_SUMMARY ?? '', 'utf8')).toContain('### Roles: 0 to create, 1 to modify');
    expect((await step('cdpadm roles push --yes')).code).toBe(12);
    rmSync(join(home.cwd, '.cdpadm.yaml'));
  });

  test('roles-test.yml writes nothing, and exits with 0, or with 10 and a summary of the failures', async () => {
    const policy = (limit: number): void => {
      writeFileSync(join(home.cwd, 'roles.test.yaml'), `- each: {max_tasks: ${limit}}\n`);
    };
    for (const job of ['platform', 'review']) {
      const steps = commandsOf('roles-test.yml', job);
      policy(30);
      for (const line of steps) expect(await step(line)).toMatchObject({ code: 0 });
      policy(0);
      writeFileSync(env.GITHUB_STEP_SUMMARY ?? '', '');
      const failed = await step(steps.at(-1) ?? '');
      expect(failed.code).toBe(10);
      expect(failed.output).toMatch(/^::error file=roles\.test\.yaml,line=1,col=3::each role has at most 0 tasks/m);
      expect(readFileSync(env.GITHUB_STEP_SUMMARY ?? '', 'utf8')).toContain('| fail | each role has at most 0 tasks |');
    }
    expect((await step('cdpadm roles push --yes')).code).toBe(12);
    rmSync(join(home.cwd, '.cdpadm.yaml'));
  });

  test('roles-drift.yml shows the changes in a pull request, and fails only if the file is invalid', async () => {
    writeFileSync(env.GITHUB_STEP_SUMMARY ?? '', '');
    const [install = '', read = '', validate = '', diff = '', comment = ''] = commandsOf('roles-drift.yml', 'review');
    const asked = join(home.cwd, 'comment.txt');
    const gh = join(home.folder, 'global/bin/gh');
    expect(await step(install)).toMatchObject({ code: 0 });
    writeFileSync(gh, `#!/bin/sh\n{ echo "$@"; cat "$5"; } > ${asked}\n`, { mode: 0o755 });
    expect(await step(read)).toMatchObject({ code: 0 });
    expect(await step(validate)).toMatchObject({ code: 0 });
    expect(await step(diff)).toMatchObject({ code: 0 });
    expect(await step(comment, { PULL_REQUEST: 'https://example.com/pull/1' })).toMatchObject({ code: 0 });
    const plan = '### Roles: 0 to create, 1 to modify';
    expect(readFileSync(env.GITHUB_STEP_SUMMARY ?? '', 'utf8')).toContain(plan);
    const told = readFileSync(asked, 'utf8');
    expect(told.startsWith(`pr comment https://example.com/pull/1 --body-file plan.md\n${plan}`)).toBe(true);
    change('role_id: user-role', 'rule_id: user-role');
    const broken = await step(validate);
    expect(broken.code).toBe(9);
    expect(broken.output).toContain('::error file=roles.yaml,line=');
    change('rule_id: user-role', 'role_id: user-role');
    rmSync(join(home.cwd, '.cdpadm.yaml'));
  });

  test('dsr-due.yml writes nothing, and exits with 0, or with 10 if a request is late or the ledger is empty', async () => {
    const steps = commandsOf('dsr-due.yml', 'due');
    const elsewhere = createHomeEnv('desk');
    const submitted = new Date(Date.now() - 40 * 86_400_000).toISOString().replace(/\.\d+Z/, 'Z');
    const one = ['dsr', 'submit', '--regulation', 'gdpr', '--type', 'erasure', '--identity', 'email=ada@example.com'];
    const run = async () => {
      writeFileSync(env.GITHUB_STEP_SUMMARY ?? '', '');
      const codes: number[] = [];
      let output = '';
      for (const line of steps) {
        const done = await step(line, elsewhere);
        codes.push(done.code);
        output += done.output;
      }
      const summary = readFileSync(env.GITHUB_STEP_SUMMARY ?? '', 'utf8');
      return { codes, output, summary, page: readFileSync(join(home.cwd, 'requests.html'), 'utf8') };
    };
    expect(await run()).toMatchObject({
      codes: [0, 0, 10, 0, 0],
      output: expect.stringMatching(/^::warning ::The ledger on this machine has no requests/m) as unknown,
      page: expect.stringContaining('There are no requests.') as unknown,
    });
    // The job created a project file with `access: read`, which does not allow the write.
    expect((await step(`cdpadm ${one.join(' ')} --yes`, elsewhere)).code).toBe(12);
    rmSync(join(home.cwd, '.cdpadm.yaml'));
    const other = one.join(' ').replace('ada@', 'kim@');
    expect(await step(`cdpadm ${other} --yes`, elsewhere)).toMatchObject({ code: 0 });
    const onTime = await run();
    expect(onTime.codes).toEqual([0, 0, 0, 0, 0]);
    expect(onTime.output).not.toMatch(/^::(?:error|warning)/m);
    expect(onTime.page).not.toContain('<h2>Overdue</h2>');
    rmSync(join(home.cwd, '.cdpadm.yaml'));
    const late = await step(`cdpadm ${one.join(' ')} --submitted-time ${submitted} --yes`, elsewhere);
    expect(late.code, late.output).toBe(0);
    const { codes, page, output, summary } = await run();
    expect(codes).toEqual([0, 0, 10, 0, 0]);
    expect(output).toMatch(/^::error ::The erasure request \S+ is overdue/m);
    expect(output).toMatch(/^head\s+[0-9a-f]{64}$/m);
    expect(summary).toContain('| OVERDUE |');
    expect(page).toContain('<h2>Overdue</h2>');
    rmSync(join(home.cwd, '.cdpadm.yaml'));
  });

  test('use the exit code for differences only in scheduled jobs', () => {
    const { drift, review } = recipe('roles-drift.yml').jobs;
    expect(drift?.if).toBe("github.event_name == 'schedule'");
    expect(review?.if).toMatch(/^github\.event_name == 'pull_request' && /);
    const ending = recipes.flatMap((file) =>
      Object.entries(recipe(file).jobs).flatMap(([job, { steps }]) =>
        steps.some(({ run }) => run?.includes('--exit-code') === true) ? [`${file} ${job}`] : [],
      ),
    );
    expect(ending).toEqual(['roles-drift.yml drift', 'warehouse-drift.yml drift']);
  });

  test('warehouse-drift.yml shows the plan in a pull request, applies it once, and then finds no drift', async () => {
    stageSync(home.cwd, 3);
    const job = async (name: string, more: Record<string, string> = {}) => {
      writeFileSync(env.GITHUB_STEP_SUMMARY ?? '', '');
      const codes: number[] = [];
      let output = '';
      for (const line of commandsOf('warehouse-drift.yml', name)) {
        const done = await step(line, { PULL_REQUEST: '1', ...createHomeEnv(`sync-${name}`), ...more });
        codes.push(done.code);
        output += done.output;
      }
      const summary = readFileSync(env.GITHUB_STEP_SUMMARY ?? '', 'utf8');
      rmSync(join(home.cwd, '.cdpadm.yaml'), { force: true });
      return { codes, output, summary };
    };
    const gh = join(home.folder, 'global/bin/gh');
    mkdirSync(dirname(gh), { recursive: true });
    writeFileSync(gh, '#!/bin/sh\ncat "$5"\n', { mode: 0o755 });
    const created =
      '+ create connection crm  PROVIDER_A, active  (config.password ← env:WAREHOUSE_PASSWORD)\n+ create data model';
    const review = await job('review');
    expect(review).toMatchObject({ codes: [0, 0, 0, 0], summary: expect.stringContaining(created) as unknown });
    expect(review.output).toContain(created);
    expect(await job('drift')).toMatchObject({ codes: [0, 0, 10] });
    const placeholder = { WAREHOUSE_PASSWORD: 'placeholder' };
    expect(await job('plan', placeholder)).toMatchObject({
      codes: [0, 0, 0],
      summary: expect.stringContaining(created) as unknown,
    });
    expect(await job('apply', SECRET_ENV)).toMatchObject({ codes: [0, 0] });
    expect(await job('drift')).toMatchObject({ codes: [0, 0, 0] });
    expect(await job('apply', SECRET_ENV)).toMatchObject({ codes: [0, 6] });
  });

  test('roles-push-with-plan.yml applies only the reviewed plan, and only once', async () => {
    repository();
    const { steps } = await planned();
    expect(steps.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const saved = join(home.cwd, 'roles.plan');
    const plan = readFileSync(saved, 'utf8');
    expect(plan).toMatch(/^# ~ modify user-role/m);
    const [install = '', push = '', tag = ''] = commandsOf('roles-push-with-plan.yml', 'apply');
    expect(await step(install)).toMatchObject({ code: 0 });
    writeFileSync(saved, plan.replace('Someone', 'Anyone'));
    expect(await step(push)).toMatchObject({ code: 9 });
    writeFileSync(saved, plan);
    expect(await step(push)).toMatchObject({ code: 0 });
    expect(await step(push)).toMatchObject({ code: 6 });
    expect(await step(tag)).toMatchObject({ code: 0 });
  });

  test("roles-push-with-plan.yml keeps other admins' changes since the last run, and shows them to the reviewer", async () => {
    const elsewhere = { ...env, ...createHomeEnv('elsewhere') };
    const added = ['roles', 'update', 'read-only-role', '--add-task', 'privacy:settings', '--yes'];
    expect(await runCli(added, { env: elsewhere, cwd: home.cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 modified') as unknown,
    });
    change(/name: Someone\n/, 'name: Someone else\n');
    commit();
    // Each runner starts without any state.
    const fresh = createHomeEnv('fresh');
    const { steps, summary } = await planned(fresh);
    expect(steps.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(summary).toContain('> As on the platform (changed or deleted after the pull): `read-only-role`');
    expect(summary).not.toContain('privacy:settings');
    const [, push = ''] = commandsOf('roles-push-with-plan.yml', 'apply');
    expect(await step(push, fresh)).toMatchObject({ code: 0 });
    const { stdout } = await runCli(['roles', 'get', 'read-only-role', '-o', 'json'], { env, cwd: home.cwd });
    expect(stdout).toContain('privacy:settings');
  });

  test('roles-push-with-plan.yml starts the summary with a warning if a plan without a tag may revert changes', async () => {
    execFileSync('git', ['push', '--quiet', 'origin', ':refs/tags/roles-applied'], { cwd: home.cwd });
    const { summary } = await planned(createHomeEnv('first'));
    expect(summary).toMatch(/^### .*\n\n> \*\*Warning:\*\* The file's stamp differs .* may undo/);
  });

  test('roles-push-with-plan.yml fails before the approval if the file deletes a role and the input does not allow it', async () => {
    const file = join(home.cwd, 'roles.yaml');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, text.lastIndexOf('  - role_id:')));
    const { steps } = await planned(createHomeEnv('second'));
    expect(steps.at(-1)).toEqual({ code: 12, output: expect.stringContaining('pass --allow-delete') as unknown });
    const allowed = await planned({ ...createHomeEnv('third'), ALLOW_DELETE: 'yes' });
    expect(allowed.steps.at(-1)).toMatchObject({ code: 0 });
    const raw = readFileSync(join(root, 'docs/recipes/roles-push-with-plan.yml'), 'utf8');
    expect(raw).toMatch(/^ {2}ALLOW_DELETE: .* inputs\.allow_delete && 'yes' \|\| '' /m);
    writeFileSync(file, text);
  });
});
