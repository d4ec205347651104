// The help screens rendered by the build are identical to those rendered by the program.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { helpScreens } from '../../src/main.ts';
import { createTestIo, runCli } from '../helpers/cli.ts';
import { PROGRAM, root } from '../helpers/root.ts';

function start(args: string[], columns?: number): { status: number | null; stdout: string; stderr: string } {
  const env = columns === undefined ? {} : { COLUMNS: String(columns) };
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test.each([80, 100])('builds all screens for %d columns', async (columns) => {
  const drawn = await helpScreens(createTestIo({ columns }).io);
  const kept = readFileSync(join(root, `dist/help-${columns}.txt`), 'utf8');
  expect(kept).toBe(`${[...drawn].map(([words, screen]) => `\f${words}\n${screen}`).join('')}\f`);
  expect([...drawn.keys()]).toEqual(expect.arrayContaining(['', 'roles', 'roles push', 'emulator fault add']));
});

describe('a built screen', () => {
  test.each<[args: string[], COLUMNS: string, columns?: number]>([
    [['--help'], 'not set'],
    [['-h'], '80', 80],
    [['roles', '--help'], '100', 100],
    [['roles', 'push', '-h'], '250', 250],
    [['dsr', 'submit', '--help'], '90', 90],
    [['help', '--help'], 'not set'],
    [['help', 'roles'], 'not set'],
    [['roles', 'nonsense', '--help'], 'not set'],
    [['roles', '--help', 'push'], 'not set'],
  ])('is the same as the screen drawn from the sources for %j (COLUMNS: %s)', async (args, _shown, columns) => {
    const { code, stdout, stderr } = await runCli(args, { columns: columns ?? 80 });
    expect(start(args, columns)).toEqual({ status: code, stdout, stderr });
  });

  test('is not used for a single argument with a space, such as "roles push"', async () => {
    const { code } = await runCli(['roles push', '--help']);
    expect(start(['roles push', '--help']).status).toBe(code);
  });
});
