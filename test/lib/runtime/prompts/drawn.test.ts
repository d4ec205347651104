// Questions that are redrawn: what a narrow terminal shows of them. Answering them is test/e2e/prompts.test.ts.
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test, vi } from 'vitest';
import { plainStyle } from '../../../../src/lib/render/style.ts';
import { createDrawnAsker } from '../../../../src/lib/runtime/prompts/drawn.ts';
import { createTestIo } from '../../../helpers/cli.ts';

test('breaks what a choice means between words', async () => {
  const stdin = new PassThrough();
  const { io, stderr } = createTestIo({ columns: 36 });
  const asker = await createDrawnAsker({ ...io, stdin }, plainStyle, new AbortController().signal);
  const hint = 'the subject wants their data in a form to take away';
  const chosen = asker.select('Type', [{ value: 'portability', hint }], {});
  await vi.waitFor(() => expect(stripVTControlCharacters(stderr())).toContain('take away'));
  stdin.write('\r');
  expect(await chosen).toBe('portability');
  const drawn = stripVTControlCharacters(stderr());
  expect(drawn).toContain('the subject wants their data in a\nform to take away\n');
});
