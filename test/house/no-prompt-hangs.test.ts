// Commands never prompt if their input is closed and there is no terminal, or if they run on a terminal in CI.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Command } from 'commander';
import { type CliHome, createCliHome, runCli } from '../helpers/cli.ts';
import { leavesBelow, loadProgram } from '../helpers/command-tree.ts';
import { CASES } from '../sweeps/cases.ts';

/** Returns a value for each required argument and flag. */
function requiredWords(command: Command): string[] {
  const words = command.registeredArguments
    .filter(({ required }) => required)
    .map((argument) => argument.argChoices?.[0] ?? 'x');
  const flags = command.options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long ?? '', 'x']);
  return [...words, ...flags];
}

let home: CliHome;
beforeAll(() => {
  home = createCliHome();
});
afterAll(() => home.remove());

/** Commands that run until they are stopped, or that run other commands. */
const serving = new Set(CASES.filter((one) => one.serves ?? one.elsewhere).map(({ command }) => command));
const commands = leavesBelow(await loadProgram()).filter(([path]) => !serving.has(path));

describe.each([
  ['closed input and no terminal', {}, false],
  ['a terminal in CI', { CI: '1' }, true],
])('with %s', (_name, env, tty) => {
  test.each(commands)('does not prompt: %s', async (path, command) => {
    const args = [...path.split(' '), ...requiredWords(command)];
    const { stderr } = await runCli(args, { env: { ...home.env, ...env }, cwd: home.cwd, tty });
    // A prompt would end with a question mark.
    expect(stderr).not.toMatch(/\? (\([yYnN/]+\) )?$/);
  });
});

// Confirmations are checked in test/sweeps/no-terminal.test.ts.
describe('a missing value without a terminal', () => {
  test.each([
    [['dsr', 'submit'], '--regulation'],
    [['profile', 'create', 'empty'], '--base-url'],
    [['roles', 'edit'], 'CDPADM_EDITOR'],
  ])('makes %j exit with 2 and print %s', async (args, flag) => {
    const env = { ...home.env, CI: '1' };
    const { code, stderr } = await runCli([...args, '--profile', 'local'], { env, cwd: home.cwd, tty: true });
    expect(stderr).toContain(flag);
    expect(code).toBe(2);
  });
});
