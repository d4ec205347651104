// Questions where nobody can answer, and the flags that answer them. Real terminals are test/e2e/prompts.test.ts.
import { describe, expect, it, test } from 'vitest';
import { plainStyle } from '../../../../src/lib/render/style.ts';
import type { Prompts } from '../../../../src/lib/runtime/context.ts';
import { readGlobalFlags } from '../../../../src/lib/runtime/command-line/global-flags.ts';
import { createPrompts } from '../../../../src/lib/runtime/prompts/prompts.ts';
import { type CliOptions, createTestIo } from '../../../helpers/cli.ts';

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
])('%j %j: %s', (raw, options, possible) => {
  expect(prompts(raw, options).possible).toBe(possible);
});

describe('where nobody can be asked, the flag is named and nothing hangs', () => {
  it.each<[string, (prompt: Prompts) => Promise<unknown>, string, number]>([
    ['confirm', (prompt) => prompt.confirm('Go?'), '--yes', 2],
    ['typed', (prompt) => prompt.typed('Name?', 'prod'), '--confirm prod', 2],
    ['typed as a guard', (prompt) => prompt.typed('Name?', 'prod', { exit: 12 }), '--confirm prod', 12],
    [
      'typed with a flag of its own',
      (prompt) => prompt.typed('How many?', '3', { flag: '--allow-delete' }),
      '--allow-delete',
      2,
    ],
    ['input', (prompt) => prompt.input('Name?', { flag: '--name' }), '--name', 2],
    ['secret', (prompt) => prompt.secret('Secret?', { flag: 'CDPADM_CLIENT_SECRET' }), 'CDPADM_CLIENT_SECRET', 2],
    ['select', (prompt) => prompt.select('Which?', [{ value: 'a' }], { flag: '--which' }), '--which', 2],
    ['ask', (prompt) => prompt.ask('Really?', true, { flag: '--really' }), '--really', 2],
  ])('%s', async (_what, question, flag, exit) => {
    await expect(question(prompts())).rejects.toMatchObject({ exit, hint: expect.stringContaining(flag) as string });
  });
});

test('--yes answers an ordinary confirmation and nothing that must be typed', async () => {
  const prompt = prompts({ yes: true });
  await prompt.confirm('Go?');
  await expect(prompt.typed('Name?', 'prod')).rejects.toMatchObject({ exit: 2 });
  await expect(prompt.input('Name?')).rejects.toMatchObject({ exit: 2 });
});

test('each --confirm answers one question, and only its own', async () => {
  const prompt = prompts({ confirm: ['prod', '3'] });
  await prompt.typed('How many?', '3');
  await prompt.typed('Name?', 'prod');
  await expect(prompt.typed('Name again?', 'prod')).rejects.toMatchObject({ exit: 2 });
  await expect(prompts({ confirm: ['PROD'] }).typed('Name?', 'prod')).rejects.toMatchObject({ exit: 2 });
  await expect(prompts({ confirm: ['prod'] }).confirm('Go?')).rejects.toMatchObject({ exit: 2 });
});
