// The prompts about conflicting fields, on a real terminal.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliHome, type CliResult, createCliHome, runCli } from '../helpers/cli.ts';
import { KEY, openTerminal, type Terminal } from '../helpers/pty.ts';

let home: CliHome;
beforeEach(async () => {
  home = createCliHome();
  expect((await cli('pull')).code).toBe(0);
  writeFileSync(file(), text().replace('name: User\n', 'name: Mine # ours\n'));
  expect((await cli('update', 'user-role', '--name', 'Theirs', '--yes')).code).toBe(0);
});
afterEach(() => home.remove());

const file = (): string => join(home.cwd, 'roles.yaml');
const text = (): string => readFileSync(file(), 'utf8');
const cli = (...words: string[]): Promise<CliResult> =>
  runCli(['roles', ...words, '--profile', 'local'], { env: home.env, cwd: home.cwd });

function terminal(command: string[], env: Record<string, string>): Terminal {
  return openTerminal(['roles', ...command, '--profile', 'local'], { cwd: home.cwd, env: { ...home.env, ...env } });
}

async function liveName(): Promise<unknown> {
  const { stdout } = await cli('get', 'user-role', '-o', 'json');
  return (JSON.parse(stdout) as { name: string }).name;
}

describe.each([
  ['redrawing', {}, ['', KEY.down, KEY.down + KEY.down]],
  ['line by line', { CDPADM_ACCESSIBLE: '1' }, ['1', '2', '3']],
])('a conflict prompt (%s)', (_way, env, [yours = '', platforms = '', edit = '']) => {
  test("pushes the user's value if it is selected in push", async () => {
    const screen = terminal(['push'], env);
    await screen.waitFor('Conflict: Role user-role, name');
    await screen.waitFor('Theirs');
    screen.type(`${yours}${KEY.enter}`);
    await screen.waitFor('(y/N)');
    screen.type(`y${KEY.enter}`);
    expect(await screen.exit).toBe(0);
    expect(await liveName()).toBe('Mine');
    expect(text()).toContain('name: Mine # ours');
  });

  test("writes the platform's value to the file and sends nothing if it is selected in push", async () => {
    const screen = terminal(['push'], env);
    await screen.waitFor('Conflict: Role user-role, name');
    await screen.waitFor('Theirs');
    screen.type(`${platforms}${KEY.enter}`);
    expect(await screen.exit).toBe(0);
    expect(await liveName()).toBe('Theirs');
    expect(text()).toContain('name: Theirs # ours');
  });

  test('in push, pushes a different value that the user types', async () => {
    const screen = terminal(['push'], env);
    await screen.waitFor('Conflict: Role user-role, name');
    await screen.waitFor('edit');
    screen.type(`${edit}${KEY.enter}`);
    // In line-by-line mode, the default value is in parentheses.
    await screen.waitForOne(['Role user-role, name:', 'Role user-role, name (Mine):']);
    screen.type(`${KEY.clearLine}Both${KEY.enter}`);
    await screen.waitFor('(y/N)');
    screen.type(`y${KEY.enter}`);
    expect(await screen.exit).toBe(0);
    expect(await liveName()).toBe('Both');
    expect(text()).toContain('name: Both # ours');
  });

  test("writes the platform's value to the file if it is selected in pull --merge", async () => {
    const screen = terminal(['pull', '--merge'], env);
    await screen.waitFor('Conflict: Role user-role, name');
    await screen.waitFor('Theirs');
    screen.type(`${platforms}${KEY.enter}`);
    expect(await screen.exit).toBe(0);
    expect(text()).toContain('name: Theirs # ours');
  });

  test('changes nothing after Ctrl-C', async () => {
    const before = text();
    const screen = terminal(['pull', '--merge'], env);
    await screen.waitFor('Conflict: Role user-role, name');
    await screen.waitFor('Theirs');
    screen.type(KEY.ctrlC);
    expect(await screen.exit).toBe(130);
    expect(text()).toBe(before);
  });
});
