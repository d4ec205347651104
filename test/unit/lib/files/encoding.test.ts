// UTF-16 byte order marks, and the error for a file that is not text.
import { expect, it } from 'vitest';
import { isUtf16, notText } from '../../../../src/lib/files/read-input.ts';

it.each([
  ['little endian', [0xff, 0xfe, 0x61], true],
  ['big endian', [0xfe, 0xff, 0x00], true],
  ['only the byte order mark', [0xff, 0xfe], true],
  ['the first byte of a little-endian mark', [0xff], false],
  ['the first byte of a big-endian mark', [0xfe], false],
  ['two bytes 0xff', [0xff, 0xff], false],
  ['two bytes 0xfe', [0xfe, 0xfe], false],
  ['0xfe after text', [0x61, 0xfe], false],
  ['0xff after text', [0x61, 0xff], false],
  ['a byte order mark after text', [0x61, 0xff, 0xfe], false],
  ['the UTF-8 byte order mark', [0xef, 0xbb, 0xbf], false],
  ['empty input', [], false],
])('detects UTF-16 by its byte order mark: %s', (_what, bytes, expected) => {
  expect(isUtf16(Uint8Array.from(bytes))).toBe(expected);
});

it('reports the position in a file that is not text', () => {
  expect(notText('a.csv', { line: 2, column: 5 }, 'a NUL stands here')).toMatchObject({
    code: 'input.invalid',
    message: 'a.csv cannot be read as text.',
    issues: [{ file: 'a.csv', line: 2, column: 5, path: '', message: 'a NUL stands here' }],
  });
});
