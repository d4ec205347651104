// The workflow files of docs/recipes: each of their steps is run as it stands, against an embedded platform.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { EmulatorReady } from '../../src/lib/emulator/index.ts';
import { environmentOf } from '../../src/lib/runtime/emulator-environment.ts';
import { interrupted } from '../../src/lib/runtime/interrupt.ts';
import { type CliHome, type CliResult, createCliHome, runCli } from '../helpers/cli.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Workflow {
  jobs: Record<string, { steps: { run?: string; id?: string }[] }>;
}

let home: CliHome;
let env: Record<string, string>;
const stop = new AbortController();
let serving: Promise<CliResult>;

beforeAll(async () => {
  home = createCliHome();
  const bin = join(home.folder, 'bin');
  mkdirSync(bin);
  symlinkSync(join(ROOT, 'bin/cdpadm.js'), join(bin, 'cdpadm'));
  const ready = await new Promise<EmulatorReady>((resolve, reject) => {
    const onOutput = (stdout: string): void => {
      if (stdout.includes('\n')) resolve(JSON.parse(stdout) as EmulatorReady);
    };
    const args = ['emulator', 'start', '--memory', '--port', '0', '-o', 'json'];
    serving = runCli(args, { env: home.env, cwd: home.cwd, stop, onOutput });
    serving.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  const files = { GITHUB_STEP_SUMMARY: join(home.cwd, 'summary.md'), GITHUB_OUTPUT: join(home.cwd, 'output.txt') };
  const path = `${bin}:${process.env.PATH ?? ''}`;
  env = { ...home.env, ...environmentOf(ready), ...files, CI: 'true', GITHUB_ACTIONS: 'true', PATH: path };
  for (const file of Object.values(files)) writeFileSync(file, '');
  expect((await runCli(['roles', 'pull'], { env, cwd: home.cwd })).code).toBe(0);
});
afterAll(async () => {
  stop.abort(interrupted());
  await serving;
  home.remove();
});

/** The commands of a job's steps, but for the one that installs us. */
function stepsOf(file: string, job: string): string[] {
  const workflow = parse(readFileSync(join(ROOT, 'docs/recipes', file), 'utf8')) as Workflow;
  return (workflow.jobs[job]?.steps ?? []).flatMap(({ run }) => (run && !run.startsWith('npm install') ? [run] : []));
}

/** Runs one as the runner does; gives its code and all it said. */
async function step(line: string, more: Record<string, string> = {}): Promise<{ code: number; said: string }> {
  const child = spawn('sh', ['-e', '-c', line], {
    cwd: home.cwd,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: code as number, said: stdout + stderr };
}

const change = (from: string | RegExp, to: string): void => {
  const file = join(home.cwd, 'roles.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
};

describe('recipes', () => {
  test('roles-drift.yml: well without differences, 10 with them, which stand in the summary', async () => {
    const [validate = '', diff = ''] = stepsOf('roles-drift.yml', 'drift');
    expect(await step(validate)).toMatchObject({ code: 0 });
    expect(await step(diff)).toMatchObject({ code: 0 });
    change(/name: User\n/, 'name: Someone\n');
    expect(await step(diff)).toMatchObject({ code: 10 });
    expect(readFileSync(env.GITHUB_STEP_SUMMARY ?? '', 'utf8')).toContain('### Roles: 0 to create, 1 to modify');
    change('role_id: user-role', 'rule_id: user-role');
    const broken = await step(validate);
    expect(broken.code).toBe(9);
    expect(broken.said).toContain('::error file=roles.yaml,line=');
    change('rule_id: user-role', 'role_id: user-role');
  });

  test('roles-push-with-plan.yml: applies the plan that was shown, and no other', async () => {
    for (const line of stepsOf('roles-push-with-plan.yml', 'plan')) expect(await step(line)).toMatchObject({ code: 0 });
    const plan = /plan=([0-9a-f]+)/.exec(readFileSync(env.GITHUB_OUTPUT ?? '', 'utf8'))?.[1] ?? '';
    const [push = ''] = stepsOf('roles-push-with-plan.yml', 'apply');
    expect(await step(push, { PLAN: plan.replace(/./g, '0') })).toMatchObject({ code: 6 });
    expect(await step(push, { PLAN: plan })).toMatchObject({ code: 0 });
    expect(await step(push, { PLAN: plan })).toMatchObject({ code: 6 });
  });
});
