// A file as pieces of text: none lost between two pieces, and a byte that is no text is told with its line.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decoded, linesOf } from '../../../../src/lib/files/text-chunks.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const PIECE = 64 * 1024;

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield await Promise.resolve(bytes.subarray(at, at + PIECE));
}

async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of chunks) text += piece;
  return text;
}

// Pieces end at 64 KiB: in the middle of what is two, three and four bytes long.
const LONG = `é${'a'.repeat(64 * 1024 - 3)}é\n€${'b'.repeat(64 * 1024 - 5)}€\n${'c'.repeat(64 * 1024 - 6)}😀`;

it.each([
  ['empty', ''],
  ['short', 'a\nb'],
  ['with characters on the borders of pieces', LONG],
])('gives the whole of a text and all its lines: %s', async (_what, text) => {
  expect(await textOf(decoded(pieces(Buffer.from(text)), 'rows.csv'))).toBe(text);
  const lines: string[] = [];
  for await (const group of linesOf(decoded(pieces(Buffer.from(text)), 'rows.csv'))) lines.push(...group);
  expect(lines).toEqual(text.split('\n'));
});

it('leaves out a byte-order mark', async () => {
  expect(await textOf(decoded(pieces(Buffer.from('\ufeffa\n')), 'rows.csv'))).toBe('a\n');
});

describe('what is no text', () => {
  const piece = (lines: number): string => `${'x'.repeat((64 * 1024) / lines - 1)}\n`.repeat(lines);

  it.each<[string, Buffer, number, string]>([
    ['UTF-16, big-endian', Buffer.from([0xfe, 0xff, 0, 0x61]), 1, 'the file is UTF-16; save it as UTF-8'],
    ['at once', Buffer.from([0xff, 0x41]), 1, 'a byte from here on is not UTF-8; save the file as UTF-8'],
    ['UTF-16', Buffer.from('\ufeffa\n', 'utf16le'), 1, 'the file is UTF-16; save it as UTF-8'],
    [
      'in the second piece: the line where that begins',
      Buffer.concat([Buffer.from(piece(4)), Buffer.from([0xc0])]),
      5,
      'a byte from here on is not UTF-8; save the file as UTF-8',
    ],
    [
      'like UTF-16, but not at the beginning',
      Buffer.concat([Buffer.from(piece(1)), Buffer.from([0xff, 0xfe])]),
      2,
      'a byte from here on is not UTF-8; save the file as UTF-8',
    ],
    [
      'behind a first piece that begins with an empty line',
      Buffer.concat([Buffer.from('\n'), Buffer.alloc(64 * 1024 - 1, 'x'), Buffer.from([0xff])]),
      2,
      'a byte from here on is not UTF-8; save the file as UTF-8',
    ],
    [
      'cut off in a character',
      Buffer.from('a\né').subarray(0, 3),
      2,
      'a byte from here on is not UTF-8; save the file as UTF-8',
    ],
  ])('%s', async (_what, bytes, line, message) => {
    await expect(textOf(decoded(pieces(bytes), 'rows.csv'))).rejects.toMatchObject({
      code: 'input.invalid',
      issues: [{ file: 'rows.csv', line, column: 1, message }],
    });
  });

  it('a folder or nothing', async () => {
    const folder = temporaryFolder();
    await expect(textOf(decoded(createReadStream(folder), 'here'))).rejects.toMatchObject({
      exit: 'usage',
      message: 'Cannot read here: it is a folder.',
    });
    await expect(textOf(decoded(createReadStream(join(folder, 'gone')), 'gone'))).rejects.toMatchObject({
      exit: 'usage',
      code: 'files.read',
      message: 'Cannot read gone: there is no such file.',
    });
  });
});
