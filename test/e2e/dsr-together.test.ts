// Ten processes of one user that send one bulk file: one does it, and each row is on the platform once.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDsrHome } from '../helpers/dsr-home.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';
import { root } from '../house/sources.ts';

const MANY = 10;
const ROWS = 40;

interface Ended {
  code: number | null;
  stderr: string;
}

function submit({ cwd, env }: PlatformHome): Promise<Ended> {
  const args = ['dsr', 'submit', '--bulk', 'people.csv', '--regulation', 'gdpr', '--type', 'access', '--yes', '-q'];
  const child = spawn(process.execPath, [join(root, 'bin/cdpadm.js'), ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stderr })));
}

test('ten bulk runs of one file at once: one sends it, nine say that it was sent', { timeout: 180_000 }, async () => {
  const officer = await createDsrHome();
  try {
    const rows = Array.from({ length: ROWS }, (_, row) => `p${row}@example.com,g`);
    officer.write('people.csv', `email,group_id\n${rows.join('\n')}\n`);
    const ended = await Promise.all(Array.from({ length: MANY }, () => submit(officer)));
    const codes = ended.map(({ code }) => code).sort((a, b) => Number(a) - Number(b));
    expect(codes, ended.map(({ stderr }) => stderr).join('\n')).toEqual([0, ...Array<number>(MANY - 1).fill(12)]);
    const posts = (await officer.platform.api.requests())
      .filter(({ method, path }) => method === 'POST' && path.startsWith('/v3/requests'))
      .map(({ status }) => status);
    expect(posts).toEqual(Array<number>(ROWS).fill(201));
    const ids = (await officer.json<{ subject_request_id: string }[]>('dsr list --group-id g')).data.map(
      ({ subject_request_id }) => subject_request_id,
    );
    expect(new Set(ids).size).toBe(ROWS);
    const told = officer.read('people.csv.results.csv').trimEnd().split('\n').slice(1);
    expect(told.map((line) => line.split(',')[2]).sort()).toEqual(ids.sort());
    expect((await officer.json<unknown[]>('dsr ledger export')).data).toHaveLength(ROWS);
  } finally {
    await officer.close();
  }
});
