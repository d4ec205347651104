// The command lines of hints say where to, as the command that gives them was told.
import { describe, expect, it, test } from 'vitest';
import { helpOf } from '../../../../../src/lib/runtime/command-line/help.ts';
import { createSameTarget } from '../../../../../src/lib/runtime/command-line/same-target.ts';
import { asking } from '../../../../../src/program.ts';
import { runCli } from '../../../../helpers/cli.ts';
import { commandsBelow, leavesBelow, loadProgram } from '../../../../helpers/command-tree.ts';

const NOWHERE = { profile: undefined, org: undefined, account: undefined, workspace: undefined, caFile: undefined };
const inSameTarget = (text: string, place: Parameters<typeof createSameTarget>[1]): string =>
  createSameTarget(asking, place)(text);
const PROD = { ...NOWHERE, profile: 'prod' };

describe('a command line', () => {
  it.each([
    ['Edit it, then: cdpadm roles diff', 'Edit it, then: cdpadm roles diff --profile prod'],
    ['Look at `cdpadm roles diff` again.', 'Look at `cdpadm roles diff --profile prod` again.'],
    ['Watch it: cdpadm pipelines watch customers 7.', 'Watch it: cdpadm pipelines watch customers 7 --profile prod.'],
    [
      '`cdpadm pipelines trigger a --wait`, or `cdpadm pipelines resume a` to follow',
      '`cdpadm pipelines trigger a --wait --profile prod`, or `cdpadm pipelines resume a --profile prod` to follow',
    ],
    ['Try it: cdpadm auth test', 'Try it: cdpadm auth test --profile prod'],
    // Whose place is said already, or does not matter, stays as it is; so does what is no command line.
    ['then cdpadm auth test --profile dev', 'then cdpadm auth test --profile dev'],
    ['Make one: cdpadm profile create NAME', 'Make one: cdpadm profile create NAME'],
    ['See `cdpadm help exit-codes`.', 'See `cdpadm help exit-codes`.'],
    ['In another shell: eval "$(cdpadm emulator env)". Ctrl-C ends it.', undefined],
    ['Store them (cdpadm auth login); what else is missing stands above.', undefined],
  ])('%s', (text, expected) => {
    expect(inSameTarget(text, PROD)).toBe(expected ?? text);
    expect(inSameTarget(text, NOWHERE)).toBe(text);
  });

  test('has every flag that says where to, as a shell takes it, and each once', () => {
    const place = { profile: 'my prod', org: '1', account: '2', workspace: '3', caFile: '/a/ca.pem' };
    expect(inSameTarget('Look: cdpadm roles list --org 9', place)).toBe(
      "Look: cdpadm roles list --org 9 --profile 'my prod' --account 2 --workspace 3 --ca-file /a/ca.pem",
    );
    expect(inSameTarget('Try it: cdpadm auth test --profile new', place)).toBe(
      'Try it: cdpadm auth test --profile new',
    );
  });
});

test('notes and errors go on at the same profile', async () => {
  const local = ['--profile', 'local'];
  const pulled = await runCli(['roles', 'pull', ...local]);
  expect(pulled.stderr).toContain('Edit it, then: cdpadm roles diff --profile local\n');
  const missing = await runCli(['roles', 'get', 'nothing-like-it', ...local]);
  expect(missing.stderr).toContain('`cdpadm roles list --profile local` shows them all.');
  const asJson = await runCli(['roles', 'get', 'nothing-like-it', ...local, '-o', 'json']);
  const { error } = JSON.parse(asJson.stderr) as { error: { hint: string } };
  expect(error.hint).toContain('`cdpadm roles list --profile local`');
});

test('the program’s own table says which command lines mean a platform', async () => {
  const program = await loadProgram();
  const names = commandsBelow(program).map(([path]) => path);
  expect(asking.filter((line) => !names.includes(line))).toEqual([]);
  const isAsking = (path: string): boolean => asking.some((line) => path === line || path.startsWith(`${line} `));
  const leaves = leavesBelow(program).map(([path, command]) => ({ path, calls: helpOf(command)?.calls }));
  expect(leaves.filter(({ calls, path }) => calls === 'platform' && !isAsking(path))).toEqual([]);
  // The embedded platform is where it is, whatever a profile says.
  expect(leaves.filter(({ calls, path }) => calls === 'emulator' && isAsking(path))).toEqual([]);
});
