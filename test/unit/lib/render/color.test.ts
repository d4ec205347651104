// Whether color is used depends on the flag, then on the environment variables in order, and finally on the stream.
import { expect, it, test } from 'vitest';
import { wantsColor } from '../../../../src/lib/render/style.ts';
import { createStyle } from '../../../../src/lib/render/style.ts';

type Case = ['auto' | 'always' | 'never', Record<string, string>, 'terminal' | 'pipe'];

it.each<Case>([
  ['auto', {}, 'terminal'],
  ['always', { NO_COLOR: '1', TERM: 'dumb' }, 'pipe'],
  ['auto', { NO_COLOR: '' }, 'terminal'],
  ['auto', { FORCE_COLOR: '1' }, 'pipe'],
  ['auto', { FORCE_COLOR: '1', TERM: 'dumb' }, 'pipe'],
  ['auto', { CLICOLOR_FORCE: '1' }, 'pipe'],
])('uses color with --color %s and the environment %j on a %s', (flag, env, stream) => {
  expect(wantsColor(flag, env, stream === 'terminal')).toBe(true);
});

it.each<Case>([
  ['auto', {}, 'pipe'],
  ['never', { FORCE_COLOR: '1' }, 'terminal'],
  ['auto', { NO_COLOR: '1' }, 'terminal'],
  ['auto', { CDPADM_NO_COLOR: '1', FORCE_COLOR: '1' }, 'terminal'],
  ['auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, 'terminal'],
  ['auto', { FORCE_COLOR: '0' }, 'terminal'],
  ['auto', { TERM: 'dumb' }, 'terminal'],
])('omits color with --color %s and the environment %j on a %s', (flag, env, stream) => {
  expect(wantsColor(flag, env, stream === 'terminal')).toBe(false);
});

test('ignores the extra arguments that `map` passes to a style', async () => {
  const { red, bold } = await createStyle(true);
  expect(['a', 'b'].map(red)).toEqual(['\u001b[31ma\u001b[39m', '\u001b[31mb\u001b[39m']);
  expect(red(`x${bold('y')}z`)).toBe('\u001b[31mx\u001b[1my\u001b[22mz\u001b[39m');
});
