// Detection of UTF-16 byte order marks, and the error for a file that is not text.
import { expect, it } from 'vitest';
import { isUtf16, notText } from '../../../../src/lib/files/read-input.ts';

it.each([
  ['little-endian text', [0xff, 0xfe, 0x61]],
  ['big-endian text', [0xfe, 0xff, 0x00]],
  ['only a byte order mark', [0xff, 0xfe]],
])('detects UTF-16 by its byte order mark: %s', (_what, bytes) => {
  expect(isUtf16(Uint8Array.from(bytes))).toBe(true);
});

it.each([
  ['the first byte of a little-endian mark', [0xff]],
  ['the first byte of a big-endian mark', [0xfe]],
  ['two bytes 0xff', [0xff, 0xff]],
  ['two bytes 0xfe', [0xfe, 0xfe]],
  ['0xfe after text', [0x61, 0xfe]],
  ['0xff after text', [0x61, 0xff]],
  ['a byte order mark after text', [0x61, 0xff, 0xfe]],
  ['the UTF-8 byte order mark', [0xef, 0xbb, 0xbf]],
  ['empty input', []],
])('does not mistake %s for UTF-16', (_what, bytes) => {
  expect(isUtf16(Uint8Array.from(bytes))).toBe(false);
});

it('reports the position at which a file is not text', () => {
  expect(notText('a.csv', { line: 2, column: 5 }, 'a NUL stands here')).toMatchObject({
    code: 'input.invalid',
    message: 'a.csv cannot be read as text.',
    issues: [{ file: 'a.csv', line: 2, column: 5, path: '', message: 'a NUL stands here' }],
  });
});
