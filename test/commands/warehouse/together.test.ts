// Concurrent applies in one workspace do not lock it during a prompt or a dry run, and never interleave their steps.
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPlatformHome, type PlatformHome } from '../../helpers/platform-home.ts';
import { MODEL, SECRET_ENV, stageSync } from '../../helpers/warehouse-files.ts';

const MODELS = ['active-customers', 'model-0', 'model-1'];

let home: PlatformHome;
beforeEach(async () => {
  home = await openPlatformHome();
  stageSync(home.cwd, 5);
  expect(await home.run('warehouse apply sync --yes', { env: SECRET_ENV })).toMatchObject({ code: 0 });
});
afterEach(() => home.close());

/** Writes a copy of the folder in which every data model has the name of the copy. */
function stage(folder: string): void {
  cpSync(join(home.cwd, 'sync'), join(home.cwd, folder), { recursive: true });
  for (const id of MODELS) {
    const text = MODEL.replace('id: active-customers', `id: ${id}`).replace(
      'name: Active customers',
      `name: ${folder}`,
    );
    home.write(`${folder}/data-models/${id}.yaml`, text);
  }
}

const names = async () =>
  (await home.json<{ id: string; name: string }[]>('data-models list')).data.map(({ name }) => name);

/** Applies a folder on a terminal, and calls `meanwhile` while the first prompt is open. Answers every question. */
async function applyAsking(line: string, meanwhile: () => Promise<unknown>) {
  const stdin = new PassThrough();
  let questions = 0;
  return await home.run(line, {
    tty: true,
    stdin,
    env: { ...SECRET_ENV, CDPADM_ACCESSIBLE: '1' },
    onOutput: (_stdout, stderr) => {
      const asked = stderr.match(/\(y\/N\)/g)?.length ?? 0;
      if (asked === questions) return;
      questions = asked;
      void (questions === 1 ? meanwhile() : Promise.resolve()).then(() => stdin.write('y\n'));
    },
  });
}

it('does not hold the lock during a prompt, and plans again after another apply', async () => {
  stage('mine');
  stage('theirs');
  let other: unknown;
  const mine = await applyAsking('warehouse apply mine', async () => {
    other = await home.run('warehouse apply theirs --only *s --yes', { env: SECRET_ENV });
  });
  expect(other).toMatchObject({ code: 0 });
  expect(mine).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/changed. Planning again[^]*theirs/) as unknown,
  });
  expect(await names()).toEqual(['mine', 'mine', 'mine']);
});

it('applies only the expected plan if the platform changes during a prompt', async () => {
  stage('mine');
  stage('theirs');
  await home.run('warehouse diff mine --save-plan mine.plan', { env: SECRET_ENV });
  const mine = await applyAsking('warehouse apply --plan mine.plan', () =>
    home.run('warehouse apply theirs --yes', { env: SECRET_ENV }),
  );
  expect(mine).toMatchObject({ code: 6, stderr: expect.stringContaining('The plan is now') as unknown });
  expect(await names()).toEqual(['theirs', 'theirs', 'theirs']);
});

it('never interleaves the steps of concurrent applies', async () => {
  const folders = ['first', 'second', 'third', 'fourth'];
  folders.forEach(stage);
  const ended = await Promise.all(
    folders.map((folder) => home.run(`warehouse apply ${folder} --yes`, { env: SECRET_ENV })),
  );
  for (const { code, stderr } of ended) expect(code, stderr).toBe(0);
  const writes = (await home.platform.api.requests()).filter(({ method }) => method === 'PUT' || method === 'PATCH');
  expect(writes).toHaveLength(folders.length * MODELS.length);
  const rounds = Array.from({ length: folders.length }, (_, round) =>
    writes.slice(round * MODELS.length, (round + 1) * MODELS.length).map(({ path }) => path.split('/').at(-1)),
  );
  for (const ids of rounds) expect(ids).toEqual(MODELS);
  expect(new Set(await names()).size).toBe(1);
});

it('does not wait for the lock in a dry run or if there is nothing to apply', async () => {
  stage('mine');
  const folder = join(home.folder, 'state', 'warehouse');
  const [kept = ''] = readdirSync(folder).filter((name) => name.endsWith('.json'));
  writeFileSync(join(folder, `${kept}.lock`), JSON.stringify({ pid: process.pid, host: hostname(), nonce: 'n0nce' }));
  for (const line of ['mine --dry-run', 'sync --yes'])
    expect(await home.run(`warehouse apply ${line}`, { env: SECRET_ENV })).toMatchObject({ code: 0 });
});
