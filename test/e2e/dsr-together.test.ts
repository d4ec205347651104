// Several processes of one user try to send the same rows simultaneously. Only one process sends them, and each row is
// on the platform once.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createDsrHome } from '../helpers/dsr-home.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';
import { PROGRAM } from '../helpers/root.ts';
import { size } from '../helpers/size.ts';

const MANY = size(10, 5);
const ROWS = 40;

/** Makes the rows together exceed a pipe's buffer, so that a writer waits for its reader. */
const WIDE = 'x'.repeat(32 * 1024);
const LINES = Array.from({ length: ROWS }, (_, row) => `p${row}@example.com,${WIDE}${row},g\n`);

type Child = ChildProcessByStdio<Writable, null, Readable>;

function start({ cwd, env }: PlatformHome, ...more: string[]): Child {
  const args = ['--regulation', 'gdpr', '--type', 'access', '--results', 'done.csv', '--yes', '-q', ...more];
  return spawn(process.execPath, [PROGRAM, 'dsr', 'submit', '--bulk', '-', ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
}

/** Waits until all processes have started to read before any of them receives its last row. */
async function together(children: readonly Child[]): Promise<{ code: number | null; stderr: string }[]> {
  const ends = children.map(async (child) => {
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { code, stderr };
  });
  const text = ['email,controller_customer_id,group_id\n', ...LINES].join('');
  await Promise.all(children.map(({ stdin }) => new Promise((resolve) => stdin.write(text, resolve))));
  for (const { stdin } of children) stdin.end();
  return Promise.all(ends);
}

const posts = async ({ platform }: PlatformHome): Promise<(number | null)[]> =>
  (await platform.api.requests())
    .filter(({ method, path }) => method === 'POST' && path.startsWith('/v3/requests'))
    .map(({ status }) => status);

test('lets only one of several simultaneous bulk runs send the rows, and ends the others with exit code 12', async () => {
  const officer = await createDsrHome();
  try {
    const ended = await together(Array.from({ length: MANY }, () => start(officer)));
    const codes = ended.map(({ code }) => code).sort((a, b) => Number(a) - Number(b));
    expect(codes, ended.map(({ stderr }) => stderr).join('\n')).toEqual([0, ...Array<number>(MANY - 1).fill(12)]);
    expect(await posts(officer)).toEqual(Array<number>(ROWS).fill(201));
    const { data } = await officer.json<{ subject_request_id: string }[]>('dsr list --group-id g');
    const ids = data.map(({ subject_request_id }) => subject_request_id).sort();
    expect(new Set(ids).size).toBe(ROWS);
    const results = officer.read('done.csv').trimEnd().split('\n').slice(1);
    expect(results.map((line) => line.split(',')[3]).sort()).toEqual(ids);
    expect((await officer.json<unknown[]>('dsr ledger export')).data).toHaveLength(ROWS);
  } finally {
    await officer.close();
  }
});

test('does not create a request twice if several processes resume a killed run simultaneously', async () => {
  const officer = await createDsrHome();
  try {
    // The responses are slow, so that every process finds another one that is already sending.
    await officer.platform.api.addFault({ method: 'POST', path: '/v3/requests', delay: '400ms' });
    const killed = start(officer, '--concurrency', '4');
    const ended = together([killed]);
    // The response time of the platform paces this loop.
    while (killed.exitCode === null && killed.signalCode === null)
      if ((await posts(officer)).length > 0) killed.kill('SIGKILL');
    expect((await ended).map(({ code }) => code)).toEqual([null]);
    const resumes = await together(
      Array.from({ length: MANY }, () => start(officer, '--concurrency', '4', '--resume')),
    );
    for (const { code, stderr } of resumes) expect([0, 12], stderr).toContain(code);
    expect(resumes.some(({ code }) => code === 0)).toBe(true);
    const statuses = await posts(officer);
    expect(statuses.filter((status) => status === 201)).toHaveLength(ROWS);
    // A request that was in flight when the process was killed is sent again with the same id.
    expect(statuses.filter((status) => status !== 201).length).toBeLessThanOrEqual(4);
    expect((await officer.json<unknown[]>('dsr list --group-id g')).data).toHaveLength(ROWS);
  } finally {
    await officer.close();
  }
});
