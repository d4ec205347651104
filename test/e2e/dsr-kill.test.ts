// Kills a bulk run several times and resumes it: each row is on the platform once, with no manual repair.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDsrHome } from '../helpers/dsr-home.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';
import { PROGRAM } from '../helpers/root.ts';

const ROWS = 140;

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome();
});
afterEach(() => home.close());

/** Runs the built program and kills it after `until` POST requests. Returns its exit code, or null if it was killed. */
function runUntil(until: number | undefined, resume: boolean): Promise<number | null> {
  const args = ['dsr', 'submit', '--bulk', 'people.csv', '--regulation', 'gdpr', '--type', 'access', '--yes', '-q'];
  const child = spawn(process.execPath, [PROGRAM, ...args, ...(resume ? ['--resume'] : [])], {
    cwd: home.cwd,
    env: { PATH: process.env.PATH, ...home.env },
    stdio: 'ignore',
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  let over = false;
  void ended.then(() => (over = true));
  const watch = async (): Promise<void> => {
    while (!over && until !== undefined) {
      if ((await home.received('POST', '/v3/requests')) >= until) child.kill('SIGKILL');
      // The platform's response time paces this loop.
    }
  };
  void watch();
  return ended;
}

test('submits each row once, even if the run is repeatedly killed and resumed', async () => {
  home.write(
    'people.csv',
    `email,group_id\n${Array.from({ length: ROWS }, (_, row) => `p${row}@example.com,g`).join('\n')}\n`,
  );
  let isBegun = false;
  for (let until = 1; until < ROWS; until += 23) {
    const code = await runUntil(until, isBegun);
    isBegun ||= (await home.received('POST', '/v3/requests')) > 0;
    if (code === 0) break;
    expect(code).toBeNull();
  }
  expect(await runUntil(undefined, isBegun)).toBe(0);
  expect((await home.json<unknown[]>('dsr list --group-id g')).data).toHaveLength(ROWS);
  const ids = home
    .read('people.csv.results.csv')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[2]);
  expect(new Set(ids).size).toBe(ROWS);
  expect((await home.json<unknown[]>('dsr ledger export')).data).toHaveLength(ROWS);
  const left = readdirSync(join(home.env.CDPADM_STATE_DIR ?? '', 'dsr', 'bulk')).filter((name) =>
    name.endsWith('.lock'),
  );
  expect(left).toEqual([]);
  expect(existsSync(join(home.cwd, 'people.csv.results.csv'))).toBe(true);
});
