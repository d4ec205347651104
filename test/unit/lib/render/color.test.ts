// Color depends on the flag, then on the environment variables in order, then on the stream.
import { expect, it, test } from 'vitest';
import { wantsColor } from '../../../../src/lib/render/style.ts';
import { createStyle } from '../../../../src/lib/render/style.ts';

it.each<['auto' | 'always' | 'never', Record<string, string>, boolean, boolean]>([
  ['auto', {}, true, true],
  ['auto', {}, false, false],
  ['always', { NO_COLOR: '1', TERM: 'dumb' }, false, true],
  ['never', { FORCE_COLOR: '1' }, true, false],
  ['auto', { NO_COLOR: '1' }, true, false],
  ['auto', { NO_COLOR: '' }, true, true],
  ['auto', { CDPADM_NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  ['auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  ['auto', { FORCE_COLOR: '1' }, false, true],
  ['auto', { FORCE_COLOR: '0' }, true, false],
  ['auto', { FORCE_COLOR: '1', TERM: 'dumb' }, false, true],
  ['auto', { CLICOLOR_FORCE: '1' }, false, true],
  ['auto', { TERM: 'dumb' }, true, false],
])('uses color with --color %s, %j and a terminal (%s): %s', (flag, env, terminal, expected) => {
  expect(wantsColor(flag, env, terminal)).toBe(expected);
});

test('ignores the extra arguments that `map` passes to a style', async () => {
  const { red, bold } = await createStyle(true);
  expect(['a', 'b'].map(red)).toEqual(['\u001b[31ma\u001b[39m', '\u001b[31mb\u001b[39m']);
  expect(red(`x${bold('y')}z`)).toBe('\u001b[31mx\u001b[1my\u001b[22mz\u001b[39m');
});
