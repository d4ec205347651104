// A command in a hint has the same target flags as the command that prints the hint.
import { describe, expect, it, test } from 'vitest';
import { hintLine } from '../../../../../src/lib/kernel/errors.ts';
import { helpOf } from '../../../../../src/lib/runtime/command-line/help.ts';
import { hintCompleter } from '../../../../../src/lib/runtime/command-line/complete-hint.ts';
import { asking } from '../../../../../src/program.ts';
import { runCli } from '../../../../helpers/cli.ts';
import { commandsBelow, leavesBelow, loadProgram } from '../../../../helpers/command-tree.ts';

const NOWHERE = { profile: undefined, org: undefined, account: undefined, workspace: undefined, caFile: undefined };
const PROD = { ...NOWHERE, profile: 'prod' };
const completed = (command: string, flags: Parameters<typeof hintCompleter>[1]): string | undefined =>
  hintCompleter(asking, flags)({ text: 'Then:', command }).command;

describe("a hint's command", () => {
  it.each([
    ['cdpadm roles diff', 'cdpadm roles diff --profile prod'],
    ['cdpadm pipelines watch customers 7', 'cdpadm pipelines watch customers 7 --profile prod'],
    ['cdpadm auth test', 'cdpadm auth test --profile prod'],
    // These commands already have a target or do not need one.
    ['cdpadm auth test --profile dev', 'cdpadm auth test --profile dev'],
    ['cdpadm profile create NAME', 'cdpadm profile create NAME'],
    ['cdpadm help exit-codes', 'cdpadm help exit-codes'],
    ['pass show roles', 'pass show roles'],
  ])(
    "gets the current command's profile unless it already has a target or does not need one: %s",
    (command, expected) => {
      expect(completed(command, PROD)).toBe(expected);
      expect(completed(command, NOWHERE)).toBe(command);
    },
  );

  it('gets every target flag exactly once, quoted for a shell', () => {
    const target = { profile: 'my prod', org: '1', account: '2', workspace: '3', caFile: '/a/ca.pem' };
    expect(completed('cdpadm roles list --org 9', target)).toBe(
      "cdpadm roles list --org 9 --profile 'my prod' --account 2 --workspace 3 --ca-file /a/ca.pem",
    );
  });

  it('is unchanged if it is part of a sentence', () => {
    const hint = { text: 'Read `cdpadm roles list` again.' };
    expect(hintLine(hintCompleter(asking, PROD)(hint))).toBe(hint.text);
  });
});

test('adds the current profile to the commands that notes and errors suggest', async () => {
  const local = ['--profile', 'local'];
  const pulled = await runCli(['roles', 'pull', ...local]);
  expect(pulled.stderr).toContain('Edit it, then: cdpadm roles diff --profile local\n');
  const missing = await runCli(['roles', 'get', 'nothing-like-it', ...local]);
  expect(missing.stderr).toContain('To list the roles: cdpadm roles list --profile local\n');
  const asJson = await runCli(['roles', 'get', 'nothing-like-it', ...local, '-o', 'json']);
  const { error } = JSON.parse(asJson.stderr) as { error: { hint: string } };
  expect(error.hint).toBe('To list the roles: cdpadm roles list --profile local');
});

test('adds target flags to every command that calls the platform, but not to emulator commands', async () => {
  const program = await loadProgram();
  const names = commandsBelow(program).map(([path]) => path);
  expect(asking.filter((line) => !names.includes(line))).toEqual([]);
  const isAsking = (path: string): boolean => asking.some((line) => path === line || path.startsWith(`${line} `));
  const leaves = leavesBelow(program).map(([path, command]) => ({ path, calls: helpOf(command)?.calls }));
  expect(leaves.filter(({ calls, path }) => calls === 'platform' && !isAsking(path))).toEqual([]);
  // Commands for the embedded platform do not use a profile.
  expect(leaves.filter(({ calls, path }) => calls === 'emulator' && isAsking(path))).toEqual([]);
});
