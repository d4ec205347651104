// Prompts without an interactive terminal, and the flags that replace them. Prompts on real terminals are tested in
// test/e2e/prompts.test.ts.
import { PassThrough } from 'node:stream';
import { describe, expect, it, test } from 'vitest';
import { exitOf } from '../../../../../src/lib/errors/fail.ts';
import type { KnownError } from '../../../../../src/lib/kernel/errors.ts';
import { plainStyle } from '../../../../../src/lib/render/style.ts';
import type { Prompts } from '../../../../../src/lib/runtime/context.ts';
import { readGlobalFlags } from '../../../../../src/lib/runtime/command-line/global-flags.ts';
import { createPrompts } from '../../../../../src/lib/runtime/prompts/prompts.ts';
import { type CliOptions, createTestIo } from '../../../../helpers/cli.ts';

function prompts(raw: Record<string, unknown> = {}, options: CliOptions = {}): Prompts {
  const { io } = createTestIo(options);
  return createPrompts(io, readGlobalFlags(raw, io.env), plainStyle, new AbortController().signal);
}

it.each<[string, Record<string, unknown>, CliOptions, boolean]>([
  ['allows prompts on a terminal', {}, { tty: true }, true],
  ['does not allow prompts with --no-input', { input: false }, { tty: true }, false],
  ['does not allow prompts in CI', {}, { tty: true, env: { CI: '1' } }, false],
  ['allows prompts if CI is empty', {}, { tty: true, env: { CI: '' } }, true],
  ['allows prompts if only standard output is not a terminal', {}, { tty: { stdin: true, stderr: true } }, true],
  ['does not allow prompts if standard error is not a terminal', {}, { tty: { stdin: true, stdout: true } }, false],
  ['does not allow prompts if standard input is not a terminal', {}, { tty: { stdout: true, stderr: true } }, false],
])('%s', (_what, raw, options, possible) => {
  expect(prompts(raw, options).possible).toBe(possible);
});

describe('a prompt without an interactive terminal', () => {
  it.each<[string, (prompt: Prompts) => Promise<unknown>, string, string]>([
    ['a confirmation', (prompt) => prompt.confirm('Go?'), '--yes', 'usage'],
    ['a typed confirmation', (prompt) => prompt.typed('Name?', 'prod'), '--confirm prod', 'usage'],
    [
      'a typed confirmation for a guard',
      (prompt) => prompt.typed('Name?', 'prod', { exit: 'guard' }),
      '--confirm prod',
      'guard',
    ],
    [
      'a typed confirmation with its own flag',
      (prompt) => prompt.typed('How many?', '3', { flag: '--allow-delete' }),
      '--allow-delete',
      'usage',
    ],
    ['a text', (prompt) => prompt.input('Name?', { flag: '--name' }), '--name', 'usage'],
    [
      'a secret',
      (prompt) => prompt.secret('Secret?', { flag: 'CDPADM_CLIENT_SECRET' }),
      'CDPADM_CLIENT_SECRET',
      'usage',
    ],
    ['a choice', (prompt) => prompt.select('Which?', [{ value: 'a' }], { flag: '--which' }), '--which', 'usage'],
    ['a yes-or-no question', (prompt) => prompt.ask('Really?', true), 'a flag', 'usage'],
  ])('fails and suggests its flag: %s', async (_what, question, flag, exit) => {
    const error = await question(prompts()).catch((rejection: unknown) => rejection as KnownError);
    expect([exitOf(error as KnownError), (error as KnownError).hint]).toEqual([exit, expect.stringContaining(flag)]);
  });
});

test.each([
  ['open', true, 'older'],
  ['closed', false, 'a'],
])('accepts typed text that is not a choice only if the list is open: %s', async (_what, open, value) => {
  const stdin = new PassThrough();
  const prompt = prompts({}, { tty: true, env: { TERM: 'dumb' }, stdin });
  const chosen = prompt.select('Request', [{ value: 'a' }], { search: true, open });
  stdin.write('older\n');
  await new Promise(setImmediate);
  stdin.write('a\n');
  expect(await chosen).toBe(value);
});

test('uses --yes to answer a simple confirmation, but not a typed confirmation', async () => {
  const prompt = prompts({ yes: true });
  await prompt.confirm('Go?');
  await expect(prompt.typed('Name?', 'prod')).rejects.toMatchObject({ code: 'usage' });
  await expect(prompt.input('Name?')).rejects.toMatchObject({ code: 'usage' });
});

test('uses each --confirm flag to answer one question that expects its value', async () => {
  const prompt = prompts({ confirm: ['prod', '3'] });
  await prompt.typed('How many?', '3');
  await prompt.typed('Name?', 'prod');
  await expect(prompt.typed('Name again?', 'prod')).rejects.toMatchObject({ code: 'usage' });
  await expect(prompts({ confirm: ['PROD'] }).typed('Name?', 'prod')).rejects.toMatchObject({ code: 'usage' });
  await expect(prompts({ confirm: ['prod'] }).confirm('Go?')).rejects.toMatchObject({ code: 'usage' });
});
