// Line-by-line prompts: cleanup, choices and wrapping. The appearance of prompts is tested in
// test/e2e/accessible.test.ts.
import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { createPlainAsker } from '../../../../../src/lib/runtime/prompts/plain.ts';
import { createTestIo } from '../../../../helpers/cli.ts';
import { PATIENT } from '../../../../helpers/patient.ts';

/** Returns a prompt that reads its answers from `stdin`. */
function openPrompt(columns?: number) {
  const stdin = new PassThrough();
  const { io, stderr } = createTestIo(columns === undefined ? {} : { columns });
  return { stdin, stderr, asker: createPlainAsker({ ...io, stdin }, new AbortController().signal) };
}

test.each(['input', 'secret'] as const)("removes a question's listeners when it is answered: %s", async (kind) => {
  const { asker, stdin } = openPrompt();
  const listeners = (): number[] => ['data', 'end', 'error'].map((event) => stdin.listenerCount(event));
  const ask = async (answer: string): Promise<void> => {
    const typed = asker[kind]('Name?', {});
    stdin.write(`${answer}\n`);
    expect(await typed).toBe(answer);
  };
  await ask('first');
  const before = listeners();
  for (const answer of ['second', 'third', 'fourth']) await ask(answer);
  expect(listeners()).toEqual(before);
});

test.each([
  ['its number', '2', 'erasure'],
  ['its value', 'Erasure', 'erasure'],
  ['its label', 'leave open', ''],
])('selects a choice by %s', async (_what, typed, value) => {
  const { asker, stdin } = openPrompt();
  const choices = [{ value: 'access' }, { value: 'erasure' }, { value: '', label: 'leave open' }];
  const chosen = asker.select('Type?', choices, {});
  stdin.write(`${typed}\n`);
  expect(await chosen).toBe(value);
});

test('explains how to select a choice, and wraps a long question at word boundaries', async () => {
  const { asker, stderr, stdin } = openPrompt(30);
  const chosen = asker.select('Environment', [{ value: 'none', label: 'leave open' }, { value: 'production' }], {
    initial: 'none',
  });
  stdin.write('\n');
  expect(await chosen).toBe('none');
  const typed = asker.input('Type the number of deletions to allow them:', {});
  stdin.write('1\n');
  expect(await typed).toBe('1');
  expect(stderr()).toBe(
    'Environment\n  1. leave open\n  2. production\nNumber or word (1): Type the number of deletions\nto allow them: ',
  );
});

test('wraps a long choice at word boundaries, aligned with its text', async () => {
  const { asker, stderr, stdin } = openPrompt(36);
  const hint = 'it cannot be combined with other identities';
  const chosen = asker.select(
    'Type',
    [
      { value: 'i', hint },
      { value: 'xpid', hint },
    ],
    {},
  );
  stdin.write('1\n');
  expect(await chosen).toBe('i');
  expect(stderr()).toBe(`Type
  1. i (it cannot be combined with
     other identities)
  2. xpid (it cannot be combined
     with other identities)
Number or word: `);
});

test('accepts an id that is not in the list only if the list is open', async () => {
  for (const open of [true, false]) {
    const { asker, stderr, stdin } = openPrompt(80);
    const chosen = asker.select('Run', [{ value: 'first' }], { search: true, open });
    stdin.write('other\n');
    await new Promise(setImmediate);
    if (!open) stdin.write('first\n');
    expect(await chosen).toBe(open ? 'other' : 'first');
    expect(stderr().includes('Type a number')).toBe(!open);
  }
});

test('wraps a validation message at word boundaries', async () => {
  const { asker, stderr, stdin } = openPrompt(36);
  const check = (text: string): string | undefined =>
    text === '1' ? undefined : 'It must be a number that is written in digits.';
  const typed = asker.input('Account id', { check });
  stdin.write('one\n');
  await vi.waitFor(() => expect(stderr()).toContain('It must be a number that is written\nin digits.\n'), PATIENT);
  stdin.write('1\n');
  expect(await typed).toBe('1');
});
