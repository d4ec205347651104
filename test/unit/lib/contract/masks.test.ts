// Recognizes a mask in every form.
import { expect, test } from 'vitest';
import { isMask } from '../../../../src/lib/contract/masks.ts';

test.each<[unknown, boolean]>([
  ['*', true],
  ['********', true],
  [' *** ', true],
  ['"****"', true],
  ['* * *', true],
  ['••••', true],
  ['＊＊', true],
  ['', false],
  ['""', false],
  ['p*ss', false],
  ['***x', false],
  [undefined, false],
  [8, false],
  [['*'], false],
])('detects whether %j is a mask: %s', (value, expected) => {
  expect(isMask(value)).toBe(expected);
});
