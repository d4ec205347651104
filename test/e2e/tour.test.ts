// Runs the tour of the built program like `npm start`: without a terminal or an account, and without changing the
// user's files.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PROGRAM } from '../helpers/root.ts';
import { sample } from '../helpers/size.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { judgedOf, judgedPlatforms, tellingEnv } from '../helpers/wire-judge.ts';

interface Line {
  command?: string;
  chapter?: string;
  exit?: number;
}

/** Sends `end` as soon as the tour runs its second command. */
function takeTour(
  args: string[],
  end?: NodeJS.Signals,
): Promise<{ code: number | null; stdout: string; stderr: string; home: string }> {
  const home = temporaryFolder();
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: home, ...tellingEnv() };
    const child = spawn(process.execPath, [PROGRAM, 'tour', ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (end && stdout.includes('$ cdpadm roles pull') && !child.killed) child.kill(end);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr, home }));
  });
}

test('prints each command before its result, exits with 0 and leaves nothing behind', async () => {
  const { code, stdout, stderr, home } = await takeTour(['-o', 'json']);
  expect([code, stderr]).toEqual([0, '']);
  expect(readdirSync(home)).toEqual([]);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const commands = lines.flatMap(({ command }) => command ?? []);
  for (const wanted of ['roles pull', 'roles diff', 'roles push', 'roles rollback', 'seed validate', 'seed bulk']) {
    expect(commands.some((line) => line.startsWith(`cdpadm ${wanted}`))).toBe(true);
  }
  lines.forEach(({ command }, index) => {
    if (command !== undefined) expect(lines[index + 1]).toHaveProperty('exit');
  });
  // The tour includes a deletion without its flag and one of an assigned role.
  expect(lines.map(({ exit }) => exit)).toEqual(expect.arrayContaining([0, 6, 12]));
  const [platform = ''] = await judgedPlatforms();
  const { count, violations } = await judgedOf(platform);
  expect([count > commands.length, violations]).toEqual([true, []]);
});

const SIGNALS = [
  ['SIGINT', 130, 'Interrupted.'],
  ['SIGTERM', 143, 'Terminated.'],
] as const;

test.each(sample(SIGNALS, 1))(
  'stops on %s together with the command that it runs, and leaves nothing behind',
  async (signal, code, said) => {
    const { home, ...tour } = await takeTour([], signal);
    expect(tour).toMatchObject({ code, stderr: expect.stringContaining(said) });
    expect(tour.stderr).not.toContain('bug');
    // The next chapter is many commands later, so even a busy machine handles the signal before it.
    expect(tour.stdout).not.toContain('Data subject requests');
    expect(readdirSync(home)).toEqual([]);
  },
);
