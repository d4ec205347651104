// Interactive prompts: wrapping on a narrow terminal, and cleanup after a rejected answer. Answers are tested in
// test/e2e/prompts.test.ts.
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test, vi } from 'vitest';
import { plainStyle } from '../../../../../src/lib/render/style.ts';
import type { Asker } from '../../../../../src/lib/runtime/prompts/asker.ts';
import { createDrawnAsker } from '../../../../../src/lib/runtime/prompts/drawn.ts';
import { createTestIo } from '../../../../helpers/cli.ts';
import { PATIENT } from '../../../../helpers/patient.ts';

test("wraps a choice's hint at word boundaries", async () => {
  const stdin = new PassThrough();
  const { io, stderr } = createTestIo({ columns: 36 });
  const asker = await createDrawnAsker({ ...io, stdin }, plainStyle, new AbortController().signal);
  const hint = 'the subject wants their data in a portable form';
  const chosen = asker.select('Type', [{ value: 'portability', hint }], {});
  await vi.waitFor(() => expect(stripVTControlCharacters(stderr())).toContain('portable form'), PATIENT);
  stdin.write('\r');
  expect(await chosen).toBe('portability');
  const drawn = stripVTControlCharacters(stderr());
  expect(drawn).toContain('the subject wants their data in a\nportable form\n');
});

test('shows short hints next to their choices, and finds a choice by its hint', async () => {
  const stdin = new PassThrough();
  const { io, stderr } = createTestIo({ columns: 36 });
  const asker = await createDrawnAsker({ ...io, stdin }, plainStyle, new AbortController().signal);
  const choices = [{ value: '1001', hint: 'success' }, { value: 'latest' }, { value: '77', hint: 'failed' }];
  const chosen = asker.select('Run', choices, { search: true });
  await vi.waitFor(() => expect(stripVTControlCharacters(stderr())).toContain('77'), PATIENT);
  expect(stripVTControlCharacters(stderr())).toContain('❯ 1001    success\n  latest\n  77      failed\n');
  stdin.write('fail');
  await vi.waitFor(() => expect(stripVTControlCharacters(stderr())).toContain('❯ 77      failed'), PATIENT);
  // Tab completes the search text to the whole line, which must still find the choice.
  stdin.write('\t');
  await vi.waitFor(() => expect(stripVTControlCharacters(stderr())).toContain('Run 77      failed'), PATIENT);
  stdin.write('\r');
  expect(await chosen).toBe('77');
});

test('shows every line of long choices, wrapped at word boundaries', async () => {
  const stdin = new PassThrough();
  const { io, stderr } = createTestIo({ columns: 36 });
  const asker = await createDrawnAsker({ ...io, stdin }, plainStyle, new AbortController().signal);
  const label = 'a description that fills more than one line of the list';
  const choices = ['yours', 'platform', 'edit'].map((value) => ({ value, label: `${value}: ${label}` }));
  const chosen = asker.select('Which value?', choices, {});
  await vi.waitFor(() => expect(stripVTControlCharacters(stderr())).toContain('edit: '), PATIENT);
  const drawn = stripVTControlCharacters(stderr());
  expect(drawn).toContain(
    '❯ yours: a description that fills\n  more than one line of the list\n  platform: a description',
  );
  stdin.write('\r');
  expect(await chosen).toBe('yours');
});

test.each<[string, { search?: true }, number]>([
  ['a list on a 10-line terminal', {}, 10],
  ['a search on a 10-line terminal', { search: true }, 10],
  ['a list on a 24-line terminal', {}, 24],
])('never draws more lines than the terminal can show: %s', async (_kind, options, rows) => {
  const stdin = new PassThrough();
  const { io, stderr } = createTestIo({ columns: 36, rows });
  const asker = await createDrawnAsker({ ...io, stdin }, plainStyle, new AbortController().signal);
  const hint = 'a hint that is longer than the line and continues below';
  const choices = Array.from({ length: 26 }, (_, index) => ({ value: `type ${index}`, hint }));
  const chosen = asker.select('Which type of identity does the request have?', choices, options);
  await vi.waitFor(() => expect(stripVTControlCharacters(stderr())).toContain('continues below'), PATIENT);
  const frames = stripVTControlCharacters(stderr()).split('? Which');
  for (const frame of frames) expect(frame.split('\n').length).toBeLessThan(rows);
  const drawn = frames.at(-1);
  expect(drawn).toContain('❯ type 0\n');
  stdin.write('\r');
  expect(await chosen).toBe('type 0');
});

test.each<[string, (asker: Asker) => Promise<unknown>, string]>([
  [
    'a choice',
    (asker) => asker.select('Conflict of a role. Which value?', [{ value: 'a', label: 'yours: "Support team"' }], {}),
    '✔ Conflict of a role. Which value?\n  yours: "Support team"\n',
  ],
  [
    'a default',
    (asker) => asker.input('The name of the role', { initial: 'Support of customers' }),
    '? The name of the role\n  (Support of customers)',
  ],
])('draws %s on the next line if it does not fit after the question', async (_title, ask, expected) => {
  const stdin = new PassThrough();
  const { io, stderr } = createTestIo({ columns: 40 });
  const answered = ask(await createDrawnAsker({ ...io, stdin }, plainStyle, new AbortController().signal));
  await vi.waitFor(() => expect(stderr()).toContain('?'), PATIENT);
  stdin.write('\r');
  await answered;
  expect(stripVTControlCharacters(stderr())).toContain(expected);
});

test('accepts an id that is not in the list if the list is open', async () => {
  const stdin = new PassThrough();
  const { io, stderr } = createTestIo({ columns: 36 });
  const asker = await createDrawnAsker({ ...io, stdin }, plainStyle, new AbortController().signal);
  const chosen = asker.select('Run', [{ value: '1001' }], { search: true, open: true });
  await vi.waitFor(() => expect(stripVTControlCharacters(stderr())).toContain('1001'), PATIENT);
  stdin.write('77');
  await vi.waitFor(() => expect(stripVTControlCharacters(stderr())).toContain('77 (not in the list)'), PATIENT);
  stdin.write('\r');
  expect(await chosen).toBe('77');
});

test('wraps a validation message at word boundaries', async () => {
  const stdin = new PassThrough();
  const { io, stderr } = createTestIo({ columns: 36 });
  const asker = await createDrawnAsker({ ...io, stdin }, plainStyle, new AbortController().signal);
  const long = (text: string): string | undefined =>
    text === '1' ? undefined : 'It must be a number that is written in digits.';
  const answered = asker.input('Account id', { check: long });
  await vi.waitFor(() => expect(stderr()).toContain('?'), PATIENT);
  stdin.write('one\r');
  await vi.waitFor(() => {
    expect(stripVTControlCharacters(stderr())).toContain('> It must be a number that is\nwritten in digits.');
  }, PATIENT);
  stdin.write('1\r');
  expect(await answered).toBe('1');
});

const check = (text: string): string | undefined => (text === 'good' ? undefined : 'It is wrong.');

test.each<[string, (asker: Asker) => Promise<unknown>, string, unknown]>([
  ['a text prompt', (asker) => asker.input('Name', { check }), 'good', 'good'],
  ['a secret prompt', (asker) => asker.secret('Secret', { check }), 'good', 'good'],
])('clears the line after an answer to %s is rejected', async (kind, ask, valid, expected) => {
  const stdin = new PassThrough();
  const { io, stderr } = createTestIo({ columns: 80 });
  const asker = await createDrawnAsker({ ...io, stdin }, plainStyle, new AbortController().signal);
  const answered = ask(asker);
  await vi.waitFor(() => expect(stderr()).toContain('?'), PATIENT);
  stdin.write('garbage\r');
  await vi.waitFor(() => expect(stripVTControlCharacters(stderr())).toContain('> It is wrong.'), PATIENT);
  stdin.write(`${valid}\r`);
  expect(await answered).toBe(expected);
  if (kind === 'a secret prompt') expect(stderr()).not.toMatch(/garbage|good/);
});
