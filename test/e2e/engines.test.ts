// Many shards on real engines, while tasks are killed, requeued and delayed: every user arrives with the correct value.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import { type CliHome, type CliResult, createCliHome } from '../helpers/cli.ts';
import { startTestEmulator, type TestEmulator } from '../helpers/emulator.ts';
import { listenOnLoopback } from '../helpers/loopback.ts';
import { PATIENT } from '../helpers/patient.ts';
import { PROGRAM, root } from '../helpers/root.ts';
import { isWhole, size } from '../helpers/size.ts';
import { missingSlurm, type Slurm, startSlurm } from '../helpers/slurm.ts';

/** Number of shards; eight run concurrently. */
const SHARDS = size(40, 16);
const hasParallel = spawnSync('parallel', ['--version']).status === 0;

/**
 * The server that the shards send to. It counts the users in accepted requests, and forwards the requests to a platform
 * if there is one.
 */
interface Target {
  url: string;
  /** Number of times each user was received, indexed by user number. */
  arrived: Uint8Array;
  wrong: number;
  /** The first failure in a step. */
  failure?: unknown;
  close(): Promise<void>;
}

/** Responses wait while a step runs, so that the running shards cannot finish. */
interface Step {
  after: number;
  run(): Promise<unknown>;
}

/** Starts the target, which runs `steps` in order, each after its number of users has arrived. */
async function startTarget(users: number, steps: Step[], platform: string | undefined): Promise<Target> {
  let rows = 0;
  let step: Promise<unknown> = Promise.resolve();
  const server = createServer((request, response) => {
    void buffer(request)
      .then(async (body) => {
        await step;
        const sent = platform && (await fetch(`${platform}${request.url}`, forwarded(request.headers, body)));
        if (sent ? sent.ok : true) rows += count(body.toString());
        if (steps[0] !== undefined && rows >= steps[0].after)
          step = step.then(steps.shift()?.run).catch((error: unknown) => (target.failure ??= error));
        await step;
        if (sent) response.writeHead(sent.status).end(await sent.text());
        else response.writeHead(202).end();
      })
      .catch(() => request.socket.destroy());
  });
  const count = (body: string): number => {
    let found = 0;
    for (const [, id, value] of body.matchAll(/"xpid":(\d+).*?"value":"(\d+)"/g)) {
      const number = Number(id);
      target.arrived[number] = (target.arrived[number] ?? 0) + 1;
      if (valueOf(number) !== value) target.wrong++;
      found++;
    }
    return found;
  };
  const target: Target = {
    url: `http://127.0.0.1:${await listenOnLoopback(server)}`,
    arrived: new Uint8Array(users + 1),
    wrong: 0,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return target;
}

const forwarded = (headers: NodeJS.Dict<string | string[]>, body: Buffer): RequestInit => ({
  method: 'POST',
  headers: { authorization: String(headers['authorization']), 'content-type': 'application/json' },
  body: new Uint8Array(body),
});

const valueOf = (user: number): string => String((user * 7) % 1000);

interface Scene {
  home: CliHome;
  platform: TestEmulator;
  /** The folder that the pages call /data. */
  data: string;
  env: Record<string, string>;
}

/** Creates a home with `cdpadm` on its PATH, a platform, and a file of users. */
async function scene(users: number): Promise<Scene> {
  const home = createCliHome();
  const platform = await startTestEmulator();
  onTestFinished(async () => {
    await platform.close();
    home.remove();
  });
  const [bin, data] = [join(home.folder, 'bin'), join(home.folder, 'shared')];
  for (const folder of [bin, data, join(data, 'results')]) mkdirSync(folder);
  writeFileSync(join(bin, 'cdpadm'), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, { mode: 0o755 });
  const file = createWriteStream(join(data, 'users.ndjson'));
  for (let user = 1; user <= users; user++) {
    const attribute = `{"attribute_name":"Orders","calculation_type":"count","cutoff_date":"2024-01-31","seed":{"value":"${valueOf(user)}"}}`;
    const line = `{"environment":"development","xpid":${user},"calculated_attributes":{"${platform.ready.workspace_id}":[${attribute}]}}\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
  const PATH = [bin, process.env['PATH']].join(delimiter);
  const env = { ...home.env, ...environmentOf(platform.ready), CDPADM_ENVIRONMENT: 'development', PATH };
  return { home, platform, data, env };
}

/** Returns a page's scripts, changed to use other folders, a higher rate and more shards. */
function scripts(page: string, data: string): string[] {
  const found = readFileSync(join(root, `docs/recipes/seed-${page}.md`), 'utf8').matchAll(/^```bash\n([^]*?)^```$/gm);
  return [...found].map(([, script = '']) =>
    script
      .trim()
      .replaceAll('/data', data)
      .replaceAll('--rate 400', '--rate 40000')
      .replace('--array=1-8', `--array=1-${SHARDS}`)
      .replace('--jobs 4', '--jobs 8')
      .replace('auto/4', `auto/${SHARDS}`)
      .replace('1 2 3 4', `{1..${SHARDS}}`),
  );
}

async function bash(script: string, { home }: Scene, env: Record<string, string>): Promise<CliResult> {
  const child = spawn('bash', ['-e', '-c', script], { cwd: home.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: code as number, stdout, stderr };
}

/** Returns the running shards: each task's number, from the engine's variable, and its process. */
function running(variable: string): { task: number; pid: number }[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      if (!readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes('seed')) return [];
      const task = new RegExp(`(?:^|\\0)${variable}=(\\d+)\\0`).exec(
        readFileSync(`/proc/${name}/environ`, 'utf8'),
      )?.[1];
      return task === undefined ? [] : [{ task: Number(task), pid: Number(name) }];
    } catch {
      // The entry is not a process, or its process has ended.
      return [];
    }
  });
}

/** Kills a running shard that is not in `spared`, and adds it to `spared`. */
async function kill(variable: string, spared = new Set<number>()): Promise<void> {
  const one = await vi.waitUntil(() => running(variable).find(({ task }) => !spared.has(task)), PATIENT);
  process.kill(one.pid, 'SIGKILL');
  spared.add(one.task);
}

const cases: [string, number, boolean][] = [
  ...(isWhole ? [['a counting sink', 4_000_000, false] as [string, number, boolean]] : []),
  ['the embedded platform', size(100_000, 8_000), true],
];

describe('seed-slurm.md', () => {
  it.for(cases)(
    'sends every user to %s, even if tasks are killed or requeued and the node is drained',
    async ([, users, toPlatform], { skip }) => {
      const missing = missingSlurm();
      if (missing !== undefined) return skip(missing);
      const it = await scene(users);
      const slurm: Slurm = await startSlurm(it.home.folder);
      const touched = new Set<number>();
      let requeued = 0;
      const node = `NodeName=${slurm.node}`;
      const killing = (): Promise<void> => kill('SLURM_ARRAY_TASK_ID', touched);
      const steps: Step[] = [
        { after: users * 0.1, run: killing },
        {
          after: users * 0.2,
          run: async () => {
            requeued = running('SLURM_ARRAY_TASK_ID').find(({ task }) => !touched.has(task))?.task ?? 0;
            touched.add(requeued);
            await slurm.run('scontrol', 'requeue', `${job}_${requeued}`);
          },
        },
        { after: users * 0.3, run: killing },
        {
          after: users * 0.4,
          run: () => slurm.run('scontrol', 'update', node, 'State=DRAIN', 'Reason=test'),
        },
      ];
      const target = await startTarget(users, steps, toPlatform ? it.platform.ready.base_url : undefined);
      let job = '';
      try {
        const [array = '', joined = ''] = scripts('slurm', it.data);
        const env = { ...it.env, ...slurm.env, CDPADM_SEEDING_URL: target.url };
        writeFileSync(join(it.data, 'seed.sbatch'), array);
        const submitted = await bash(`sbatch --parsable ${it.data}/seed.sbatch`, it, env);
        job = submitted.stdout.trim();
        // The running tasks finish, and the others wait until the node is back.
        await vi.waitFor(async () => expect(await slurm.run('sinfo', '-h', '-o', '%T')).toBe('drained'), PATIENT);
        expect(await slurm.run('squeue', '-h', '-r', '-t', 'PENDING')).not.toBe('');
        await slurm.run('scontrol', 'update', node, 'State=RESUME');
        await slurm.drained();
        expect(target.failure).toBeUndefined();
        const first = await bash(`${joined} -o json`, it, env);
        expect(first.code, first.stderr).toBe(1);
        const { again, missing: lost } = JSON.parse(first.stdout) as { again: string[]; missing: number[] };
        touched.delete(requeued);
        expect(lost).toEqual([...touched].sort((a, b) => a - b));
        for (const [index, command] of again.entries()) {
          const { code, stderr } = await bash(`${command} > ${it.data}/results/again-${index}.json`, it, env);
          expect(code, stderr).toBe(0);
        }
        const last = await bash(`${joined} -o json`, it, env);
        expect(last.code, last.stderr + last.stdout).toBe(0);
        expectAll(target, last, users);
      } finally {
        await slurm.close();
        await target.close();
      }
    },
  );
});

it('sends every user from many shards when the commands in seed-parallel.md are run again after kills', async ({
  skip,
}) => {
  if (!hasParallel) return skip('needs GNU parallel (npm run test:engines installs it)');
  const users = size(4_000_000, 32_000);
  const it = await scene(users);
  const killing = (): Promise<void> => kill('PARALLEL_SEQ');
  const steps = [0.1, 0.3].map((part) => ({ after: users * part, run: killing }));
  const target = await startTarget(users, steps, undefined);
  try {
    const [script = ''] = scripts('parallel', it.data);
    const env = { ...it.env, CDPADM_SEEDING_URL: target.url };
    const first = await bash(script, it, env);
    expect(target.failure).toBeUndefined();
    expect(first.code, first.stderr).toBe(2);
    const second = await bash(`${script} -o json`, it, env);
    expect(second.code, second.stderr).toBe(0);
    expectAll(target, second, users);
  } finally {
    await target.close();
  }
});

function expectAll({ arrived, wrong }: Target, { stdout }: CliResult, users: number): void {
  expect(JSON.parse(stdout)).toMatchObject({ accepted: users, rejected: 0, shards: SHARDS, missing: [] });
  expect(wrong).toBe(0);
  expect(arrived.subarray(1).every((times) => times > 0)).toBe(true);
}
