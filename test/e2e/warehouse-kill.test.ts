// Kills the built program during an apply or a trigger, and runs several instances at the same time in one workspace.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import { isStrayed } from '../helpers/stray-file.ts';
import { openPlatformHome, type PlatformHome } from '../helpers/platform-home.ts';
import { CONNECTION, SECRET_ENV, stageSync } from '../helpers/warehouse-files.ts';
import { PATIENT } from '../helpers/patient.ts';
import { PROGRAM } from '../helpers/root.ts';
import { size } from '../helpers/size.ts';

const WRITES = 12;
const MANY = size(10, 4);

let home: PlatformHome;
beforeEach(async () => {
  home = await openPlatformHome();
  stageSync(home.cwd, WRITES);
});
afterEach(() => home.close());

const APPLY = ['warehouse', 'apply', 'sync', '--yes', '--force', '-o', 'json'];

/** The JSON result of `warehouse apply`. */
interface Applied {
  steps: { id: string; outcome: string }[];
  unchanged: string[];
}
const CONFLICT = expect.stringMatching(/^Conflict: /) as unknown;

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the program; `kill` sends it SIGKILL. */
function start(args: readonly string[], state = 'state'): { ended: Promise<Ended>; kill(): void; isOver(): boolean } {
  const folders = ['config', 'state', 'cache', 'data'].map((kind) => [
    `CDPADM_${kind.toUpperCase()}_DIR`,
    join(home.folder, kind === 'state' ? state : kind),
  ]);
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: home.cwd,
    env: {
      PATH: process.env.PATH,
      HOME: home.folder,
      ...Object.fromEntries(folders),
      ...environmentOf(home.platform.ready),
      ...SECRET_ENV,
    } as Record<string, string>,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
  let over = false;
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => {
      over = true;
      resolve({ code, stdout, stderr });
    });
  });
  return { ended, kill: () => child.kill('SIGKILL'), isOver: () => over };
}

/** Starts the program, and kills it after the platform has received this many more requests. */
async function killAfter(requests: number, args: readonly string[]): Promise<Ended> {
  const count = async (): Promise<number> => (await home.platform.api.requests()).length;
  const before = await count();
  const program = start(args);
  while (!program.isOver()) {
    // The response time of the platform paces this loop.
    if ((await count()) - before >= requests) program.kill();
  }
  return await program.ended;
}

/** Returns the number of creations that the platform accepted. */
const accepted = async (): Promise<number> =>
  (await home.platform.api.requests()).filter(
    ({ method, status, path }) => method === 'POST' && status === 200 && !path.includes('/oauth/'),
  ).length;

/** Returns the lock files and temporary files in all `warehouse` folders. */
const locks = (): string[] =>
  readdirSync(home.folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => basename(dirname(path)) === 'warehouse')
    .filter((path) => path.endsWith('.lock') || isStrayed(basename(path)));

test('writes everything once when an apply is killed repeatedly and run again', async () => {
  let killed = 0;
  // An apply requests the token and the lists, then makes one or two requests for each write.
  for (let run = 0; ; run++) {
    const { code } = await killAfter(1 + (run % 8) * size(1, 2), APPLY);
    if (code === 0) break;
    killed++;
    expect(code).toBeNull();
  }
  expect(killed).toBeGreaterThan(2);
  expect((await start(APPLY).ended).code).toBe(0);
  expect((await start(APPLY).ended).code).toBe(0);
  const { data } = await home.json('warehouse diff sync', { env: SECRET_ENV });
  expect(data).toMatchObject({ steps: [], summary: { unchanged: WRITES } });
  expect(await accepted()).toBe(WRITES);
  // Only a write removes the lock of a killed process.
  home.write('sync/connections/crm.yaml', CONNECTION.replace('name: CRM warehouse', 'name: Warehouse'));
  expect((await start(APPLY).ended).code).toBe(0);
  expect(locks()).toEqual([]);
});

test('sends a killed trigger at most once, and makes the next trigger wait for the run', async () => {
  expect((await start(APPLY).ended).code).toBe(0);
  const trigger = ['pipelines', 'trigger', 'customers', '--wait', '--poll', '100ms', '--yes'];
  const sent = async (): Promise<number> =>
    (await home.platform.api.requests()).filter(({ path }) => path.endsWith('/data-pipelines/trigger')).length;
  for (let boundary = 1; boundary <= 6; boundary += size(1, 2)) {
    const before = await sent();
    await killAfter(boundary, trigger);
    // The platform may still be handling the last request after the process has exited.
    const runs = await vi.waitFor(async () => {
      const { data } = await home.json<unknown[]>('pipelines runs customers --all');
      expect(data).toHaveLength(await sent());
      return data.length;
    }, PATIENT);
    const after = await sent();
    expect(runs).toBe(after);
    expect(after - before).toBeLessThanOrEqual(1);
    // The next trigger waits for the active run and triggers one run.
    expect((await start([...trigger, '--wait-idle']).ended).code).toBe(0);
    expect(await sent()).toBe(after + 1);
  }
});

test.each([
  ['of one user', () => 'state'],
  ['of several users', (index: number) => `state-${index}`],
])(
  'creates each resource exactly once in concurrent applies %s, at least one of which succeeds',
  async (_who, state) => {
    const results = await Promise.all(Array.from({ length: MANY }, (_, index) => start(APPLY, state(index)).ended));
    const created = new Set<string>();
    for (const { code, stdout, stderr } of results) {
      // A later apply reports a conflict: the resource exists (exit code 1 or 6) or was changed (exit code 6).
      expect([0, 1, 6], stderr).toContain(code);
      if (code === 6) expect(stderr).toContain('{"error":{"code":"');
      if (stdout === '') continue;
      const { steps, unchanged } = JSON.parse(stdout) as Applied;
      expect(steps.length + unchanged.length).toBe(WRITES);
      for (const { id, outcome } of steps) if (outcome === 'done') created.add(id);
      if (code === 0) expect(steps.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
      else expect(steps).toContainEqual(expect.objectContaining({ outcome: 'failed', reason: CONFLICT }));
    }
    expect(created.size).toBe(WRITES);
    expect(await accepted()).toBe(WRITES);
    expect(results.some(({ code }) => code === 0)).toBe(true);
    expect((await start(APPLY).ended).code).toBe(0);
    expect((await home.json('warehouse diff sync', { env: SECRET_ENV })).data).toMatchObject({ steps: [] });
    expect((await home.json<unknown[]>('data-models list')).data).toHaveLength(WRITES - 2);
    expect(locks()).toEqual([]);
  },
);

test('starts exactly the runs that simultaneous triggers report, and rejects the other triggers', async () => {
  expect((await start(APPLY).ended).code).toBe(0);
  const trigger = ['pipelines', 'trigger', 'customers', '--yes', '-o', 'json'];
  const results = await Promise.all(Array.from({ length: MANY }, (_, index) => start(trigger, `state-${index}`).ended));
  const done = results.filter(({ code }) => code === 0);
  const reported = done.map(({ stdout }) => (JSON.parse(stdout) as { pipeline_run_id: number }).pipeline_run_id);
  for (const { code, stderr } of results)
    if (code !== 0) expect([code, stderr]).toEqual([6, expect.stringContaining('"code":"pipelines.not_idle"')]);
  const { data } = await home.json<{ id: number }[]>('pipelines runs customers --all');
  expect(data.map(({ id }) => id).sort()).toEqual(reported.sort());
});
