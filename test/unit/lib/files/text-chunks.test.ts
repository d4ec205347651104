// Decoding a file in chunks does not lose characters at chunk boundaries, and reports the line of an invalid byte.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decoded, linesOf } from '../../../../src/lib/files/read-input.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const CHUNK_SIZE = 64 * 1024;

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_SIZE)
    yield await Promise.resolve(bytes.subarray(at, at + CHUNK_SIZE));
}

async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}

// Each 64 KiB chunk ends inside a character of two, three or four bytes.
const LONG = `é${'a'.repeat(64 * 1024 - 3)}é\n€${'b'.repeat(64 * 1024 - 5)}€\n${'c'.repeat(64 * 1024 - 6)}😀`;

it.each([
  ['empty', ''],
  ['short', 'a\nb'],
  ['with characters across chunk boundaries', LONG],
])('returns the whole text and all its lines: %s', async (_what, text) => {
  expect(await textOf(decoded(chunksOf(Buffer.from(text)), 'rows.csv'))).toBe(text);
  const lines: string[] = [];
  for await (const group of linesOf(decoded(chunksOf(Buffer.from(text)), 'rows.csv'))) lines.push(...group);
  expect(lines).toEqual(text.split('\n'));
});

it('skips a byte order mark', async () => {
  expect(await textOf(decoded(chunksOf(Buffer.from('\ufeffa\n')), 'rows.csv'))).toBe('a\n');
});

describe('invalid text', () => {
  const chunk = (lines: number): string => `${'x'.repeat((64 * 1024) / lines - 1)}\n`.repeat(lines);

  it.each<[string, Buffer, number, string]>([
    ['UTF-16, big-endian', Buffer.from([0xfe, 0xff, 0, 0x61]), 1, 'the file is UTF-16; save it as UTF-8'],
    ['an invalid first byte', Buffer.from([0xff, 0x41]), 1, 'contains invalid UTF-8; save the file as UTF-8'],
    ['UTF-16', Buffer.from('\ufeffa\n', 'utf16le'), 1, 'the file is UTF-16; save it as UTF-8'],
    [
      'an invalid byte in the second chunk',
      Buffer.concat([Buffer.from(chunk(4)), Buffer.from([0xc0])]),
      5,
      'contains invalid UTF-8; save the file as UTF-8',
    ],
    [
      'a UTF-16 byte order mark, but not at the start',
      Buffer.concat([Buffer.from(chunk(1)), Buffer.from([0xff, 0xfe])]),
      2,
      'contains invalid UTF-8; save the file as UTF-8',
    ],
    [
      'an invalid byte after a chunk that starts with an empty line',
      Buffer.concat([Buffer.from('\n'), Buffer.alloc(64 * 1024 - 1, 'x'), Buffer.from([0xff])]),
      2,
      'contains invalid UTF-8; save the file as UTF-8',
    ],
    ['a truncated character', Buffer.from('a\né').subarray(0, 3), 2, 'contains invalid UTF-8; save the file as UTF-8'],
  ])('is reported with its line: %s', async (_what, bytes, line, message) => {
    await expect(textOf(decoded(chunksOf(bytes), 'rows.csv'))).rejects.toMatchObject({
      code: 'input.invalid',
      issues: [{ file: 'rows.csv', line, column: 1, message }],
    });
  });

  it('is distinguished from a folder and a missing file', async () => {
    const folder = temporaryFolder();
    await expect(textOf(decoded(createReadStream(folder), 'here'))).rejects.toMatchObject({
      exit: 'usage',
      message: 'Cannot read here: it is a folder.',
    });
    await expect(textOf(decoded(createReadStream(join(folder, 'gone')), 'gone'))).rejects.toMatchObject({
      exit: 'usage',
      code: 'files.read',
      message: 'Cannot read gone: no such file.',
    });
  });
});
