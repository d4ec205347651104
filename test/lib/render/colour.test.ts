// Who decides on colour: the flag, then the environment in its order, then the stream.
import { expect, it } from 'vitest';
import { wantsColour } from '../../../src/lib/render/colour.ts';

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
])('--color %s, %j, terminal %s: %s', (flag, env, terminal, expected) => {
  expect(wantsColour(flag, env, terminal)).toBe(expected);
});
