// No command waits for an answer with a closed input, without a terminal or in CI.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Command } from 'commander';
import { type CliHome, createCliHome, runCli } from '../helpers/cli.ts';
import { leavesBelow, loadProgram } from '../helpers/command-tree.ts';

/** They go on until a signal, whoever looks. */
const SERVING = ['emulator start', 'dsr callbacks listen', 'tour'];

/** A word for each argument that must be there, and a value for each flag that must. */
function leastWords(command: Command): string[] {
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

const commands = leavesBelow(await loadProgram()).filter(([path]) => !SERVING.includes(path));

describe.each([
  ['input closed, no terminal', {}, false],
  ['a terminal, but CI', { CI: '1' }, true],
])('%s', (_name, env, tty) => {
  test.each(commands)('%s', async (path, command) => {
    const args = [...path.split(' '), ...leastWords(command)];
    const { stderr } = await runCli(args, { env: { ...home.env, ...env }, cwd: home.cwd, tty });
    // No question: it would end in a question mark.
    expect(stderr).not.toMatch(/\? (\([yYnN/]+\) )?$/);
  });
});

describe('what needs an answer ends with 2 and names the flag that gives it', () => {
  test.each([
    [['roles', 'create', 'x-role', '--name', 'X', '--description', 'D', '--task', 'audiences:view'], '--yes'],
    [['roles', 'delete', 'user-role', '--allow-delete'], '--yes'],
    [['groups', 'create', '-f', 'group.yaml'], '--yes'],
    [['dsr', 'submit'], '--regulation'],
    [['dsr', 'submit', '--regulation', 'gdpr', '--type', 'access', '--identity', 'email=a@b.c'], '--yes'],
    [['profile', 'create', 'empty'], '--base-url'],
    [['roles', 'edit'], 'CDPADM_EDITOR'],
  ])('%j', async (args, flag) => {
    const group = 'id: household\nsource_user_attribute: h\nattributes: [{ id: a, type: latest }]\n';
    writeFileSync(join(home.cwd, 'group.yaml'), group);
    const env = { ...home.env, CI: '1' };
    const { code, stderr } = await runCli([...args, '--profile', 'local'], { env, cwd: home.cwd, tty: true });
    expect(stderr).toContain(flag);
    expect(code).toBe(2);
  });
});
