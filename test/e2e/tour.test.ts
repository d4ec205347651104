// Runs the built program's tour like `npm start`: without a terminal or an account, and without changing the user's
// files.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createCliHome } from '../helpers/cli.ts';
import { KEY, openTerminal } from '../helpers/pty.ts';
import { PROGRAM } from '../helpers/root.ts';
import { sample } from '../helpers/size.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { judgedOf, judgedPlatforms, reportingEnv } from '../helpers/wire-judge.ts';

interface Line {
  command?: string;
  chapter?: string;
  exit?: number;
}

/** Runs the tour, and sends it the signal `end` as soon as it runs its second command. */
function takeTour(
  args: string[],
  end?: NodeJS.Signals,
): Promise<{ code: number | null; stdout: string; stderr: string; home: string }> {
  const home = temporaryFolder();
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: home, ...reportingEnv() };
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

test('shows the main tasks in at most 200 lines, exits with 0 and does not leave files behind', async () => {
  const { code, stdout, stderr, home } = await takeTour([]);
  expect([code, stderr]).toEqual([0, '']);
  expect(readdirSync(home)).toEqual([]);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(200);
  const commands = lines.filter((line) => line.startsWith('$ cdpadm '));
  for (const wanted of ['roles pull', 'roles diff', 'roles push', 'roles rollback', 'seed validate', 'seed bulk']) {
    expect(commands.some((line) => line.startsWith(`$ cdpadm ${wanted}`))).toBe(true);
  }
  // The tour tries a deletion without the flag that allows it, and the deletion of an assigned role.
  expect(lines).toEqual(expect.arrayContaining(['  (exit 12)', '  (exit 6)']));
  // A platform from an earlier test file may still be finishing its last exchange.
  const judged = await Promise.all((await judgedPlatforms()).map(judgedOf));
  expect(judged.some(({ count }) => count > commands.length)).toBe(true);
  expect(judged.flatMap(({ violations }) => violations)).toEqual([]);
});

test('runs only the given chapters, and prints each command before its result', async () => {
  const { code, stdout } = await takeTour(['warehouse', 'roles', '-o', 'ndjson']);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  expect([code, lines.flatMap(({ chapter }) => chapter ?? [])]).toEqual([
    0,
    ['Warehouse sync and groups', 'Custom roles', 'Try next'],
  ]);
  lines.forEach(({ command }, index) => {
    if (command !== undefined) expect(lines[index + 1]).toHaveProperty('exit');
  });
});

test('prompts before the next chapter on a terminal, and stops if the answer is no', async () => {
  const home = createCliHome();
  onTestFinished(() => home.remove());
  const screen = openTerminal(['tour', 'roles', 'dsr'], { cwd: home.cwd, env: home.env });
  await screen.waitFor('Continue with dsr?');
  screen.type(`n${KEY.enter}`);
  expect(await screen.exit).toBe(0);
  expect(screen.screen()).toContain('Try next');
  expect(screen.screen()).not.toContain('Data subject requests');
});

const SIGNALS = [
  ['SIGINT', 130, 'Interrupted.'],
  ['SIGTERM', 143, 'Terminated.'],
] as const;

test.each(sample(SIGNALS, 1))(
  'stops on %s along with the command that it is running, and leaves nothing behind',
  async (signal, code, said) => {
    const { home, ...tour } = await takeTour([], signal);
    expect(tour).toMatchObject({ code, stderr: expect.stringContaining(said) });
    expect(tour.stderr).not.toContain('bug');
    // The next chapter is many commands later, so even a busy machine handles the signal before then.
    expect(tour.stdout).not.toContain('Data subject requests');
    expect(readdirSync(home)).toEqual([]);
  },
);
