// Prompts without an interactive terminal, and the flags that replace them. Real terminals are tested in
// test/e2e/prompts.test.ts.
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

it.each<[Record<string, unknown>, CliOptions, boolean]>([
  [{}, { tty: true }, true],
  [{ input: false }, { tty: true }, false],
  [{}, { tty: true, env: { CI: '1' } }, false],
  [{}, { tty: true, env: { CI: '' } }, true],
  [{}, { tty: { stdin: true, stderr: true } }, true],
  [{}, { tty: { stdin: true, stdout: true } }, false],
  [{}, { tty: { stdout: true, stderr: true } }, false],
])('allows prompts with %j and %j: %s', (raw, options, possible) => {
  expect(prompts(raw, options).possible).toBe(possible);
});

describe('without an interactive terminal, a prompt fails and names its flag', () => {
  it.each<[string, (prompt: Prompts) => Promise<unknown>, string, string]>([
    ['confirm', (prompt) => prompt.confirm('Go?'), '--yes', 'usage'],
    ['typed', (prompt) => prompt.typed('Name?', 'prod'), '--confirm prod', 'usage'],
    ['typed as a guard', (prompt) => prompt.typed('Name?', 'prod', { exit: 'guard' }), '--confirm prod', 'guard'],
    [
      'typed with its own flag',
      (prompt) => prompt.typed('How many?', '3', { flag: '--allow-delete' }),
      '--allow-delete',
      'usage',
    ],
    ['input', (prompt) => prompt.input('Name?', { flag: '--name' }), '--name', 'usage'],
    ['secret', (prompt) => prompt.secret('Secret?', { flag: 'CDPADM_CLIENT_SECRET' }), 'CDPADM_CLIENT_SECRET', 'usage'],
    ['select', (prompt) => prompt.select('Which?', [{ value: 'a' }], { flag: '--which' }), '--which', 'usage'],
    ['ask', (prompt) => prompt.ask('Really?', true, { flag: '--really' }), '--really', 'usage'],
  ])('%s', async (_what, question, flag, exit) => {
    const error = await question(prompts()).catch((rejection: unknown) => rejection as KnownError);
    expect([exitOf(error as KnownError), (error as KnownError).hint]).toEqual([exit, expect.stringContaining(flag)]);
  });
});

test('answers a simple confirmation with --yes, but not a typed one', async () => {
  const prompt = prompts({ yes: true });
  await prompt.confirm('Go?');
  await expect(prompt.typed('Name?', 'prod')).rejects.toMatchObject({ code: 'usage' });
  await expect(prompt.input('Name?')).rejects.toMatchObject({ code: 'usage' });
});

test('answers one matching question with each --confirm', async () => {
  const prompt = prompts({ confirm: ['prod', '3'] });
  await prompt.typed('How many?', '3');
  await prompt.typed('Name?', 'prod');
  await expect(prompt.typed('Name again?', 'prod')).rejects.toMatchObject({ code: 'usage' });
  await expect(prompts({ confirm: ['PROD'] }).typed('Name?', 'prod')).rejects.toMatchObject({ code: 'usage' });
  await expect(prompts({ confirm: ['prod'] }).confirm('Go?')).rejects.toMatchObject({ code: 'usage' });
});
