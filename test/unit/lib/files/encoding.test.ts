// The marks of UTF-16, and how a file that is no text is told.
import { expect, it } from 'vitest';
import { isUtf16, notText } from '../../../../src/lib/files/read-input.ts';

it.each([
  ['little endian', [0xff, 0xfe, 0x61], true],
  ['big endian', [0xfe, 0xff, 0x00], true],
  ['the mark alone', [0xff, 0xfe], true],
  ['half a mark', [0xff], false],
  ['the other half', [0xfe], false],
  ['two first halves', [0xff, 0xff], false],
  ['two second halves', [0xfe, 0xfe], false],
  ['a second half behind text', [0x61, 0xfe], false],
  ['another second half behind text', [0x61, 0xff], false],
  ['a mark that comes later', [0x61, 0xff, 0xfe], false],
  ['the mark of UTF-8', [0xef, 0xbb, 0xbf], false],
  ['nothing', [], false],
])('UTF-16: %s', (_what, bytes, expected) => {
  expect(isUtf16(Uint8Array.from(bytes))).toBe(expected);
});

it('a file that is no text is told with its place', () => {
  expect(notText('a.csv', { line: 2, column: 5 }, 'a NUL stands here')).toMatchObject({
    code: 'input.invalid',
    message: 'a.csv cannot be read as text.',
    issues: [{ file: 'a.csv', line: 2, column: 5, path: '', message: 'a NUL stands here' }],
  });
});
