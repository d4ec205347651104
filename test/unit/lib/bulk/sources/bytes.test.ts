// The bytes of a bulk input: what it is, what it is wrapped in, and every byte of it.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openBytes, type InputBytes, type RowFormat } from '../../../../../src/lib/bulk/sources/bytes.ts';
import { inputSource } from '../../../../helpers/input-source.ts';
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts';
import { zstd } from '../../../../helpers/zstd.ts';

/** Bytes that do not repeat, as text. */
const text = (length: number): Buffer =>
  Buffer.from(
    Array.from({ length: Math.ceil(length / 8) }, (_, index) => String(index).padStart(7, '0') + '\n').join(''),
  ).subarray(0, length);

async function allOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const copies: Buffer[] = [];
  // A chunk may be overwritten by the next one.
  for await (const chunk of chunks) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

/** Opens bytes as a file of that name. */
async function file(name: string, bytes: Buffer | string, wanted?: RowFormat): Promise<InputBytes> {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, name), bytes);
  return openBytes(name, inputSource(cwd), { format: wanted });
}

/** The same as standard input, in those pieces. */
const piped = (pieces: (Buffer | string)[], wanted?: RowFormat): Promise<InputBytes> =>
  openBytes('-', inputSource('/', Readable.from(pieces, { objectMode: true })), { format: wanted });

const refusal = (message: string, line?: number, column?: number) => ({
  code: 'input.invalid',
  issues: [expect.objectContaining({ message, ...(line && { line, column }) }) as object],
});

describe('what it is', () => {
  it.each<[string, string, RowFormat]>([
    ['a.ndjson', '[1]', 'ndjson'],
    ['a.JSONL', '[1]', 'ndjson'],
    ['a.ndjson.txt', '[1]', 'json'],
    ['a.csv', '{"a": 1}', 'csv'],
    ['a.tsv', '[', 'csv'],
    ['a.csvx', '{', 'ndjson'],
    ['a.json', '{"a": 1}', 'json'],
    ['a.json', '', 'json'],
    ['a.ndjson.gz', '[1]', 'ndjson'],
    ['a.csv.zst', '{}', 'csv'],
    ['a.json.zstd', '{}', 'json'],
    ['a.json.gz.x', '{}', 'ndjson'],
    ['users', '\ufeff \r\n[{}]', 'json'],
    ['users', '\ufeff \n\t{}', 'ndjson'],
    ['users', 'a[,b{', 'csv'],
    ['users', '', 'csv'],
    ['json', 'a', 'csv'],
    ['users.csv', 'PAR1 and so on', 'parquet'],
    ['users', ' PAR1', 'csv'],
  ])('%s with %j is %s…', async (name, content, format) => {
    expect((await file(name, content)).format).toBe(format);
  });

  it('goes by what is asked for before all', async () => {
    expect((await file('a.csv', '[1]', 'json')).format).toBe('json');
    expect((await piped(['[1]'], 'ndjson')).format).toBe('ndjson');
  });

  it('is seen through what it is wrapped in', async () => {
    for (const wrap of [gzipSync, zstd]) {
      expect((await file('users', wrap(Buffer.from(' [{}]')))).format).toBe('json');
      expect((await piped([wrap(Buffer.from(' {}'))])).format).toBe('ndjson');
    }
  });

  it.each<[string, Buffer, string]>([
    ['gzip', gzipSync('a'), 'gzip'],
    ['zstd', zstd(Buffer.from('a')), 'zstd'],
    ['the half of a mark of gzip', Buffer.from([0x1f, 0x20, 0x61]), 'none'],
    ['the other half of it', Buffer.from([0x20, 0x8b]), 'none'],
    ['a part of a mark of zstd', Buffer.from([0x28, 0xb5, 0x2f]), 'none'],
    ['nothing', Buffer.alloc(0), 'none'],
  ])('wrapped: %s', async (_what, bytes, wrapping) => {
    expect((await file('a.csv', bytes)).wrapping).toBe(wrapping);
    expect((await piped([bytes])).wrapping).toBe(wrapping);
  });

  it('has the path, name and size of a file, and neither path nor size of standard input', async () => {
    const cwd = temporaryFolder();
    const packed = gzipSync('a,b\n');
    writeFileSync(join(cwd, 'a.csv.gz'), packed);
    expect(await openBytes('a.csv.gz', inputSource(cwd), {})).toMatchObject({
      name: 'a.csv.gz',
      key: join(cwd, 'a.csv.gz'),
      base: join(cwd, 'a.csv.gz'),
      size: packed.length,
    });
    expect(await piped(['a,b\n'])).toMatchObject({ name: '<stdin>', format: 'csv', key: undefined, size: undefined });
  });
});

describe('the bytes', () => {
  const LONG = text(1_300_000);

  it.each([
    ['plain', (bytes: Buffer) => bytes],
    ['gzip', gzipSync],
    ['zstd', zstd],
  ])('come whole from a file and from standard input, as often as a file is asked: %s', async (_how, wrap) => {
    for (const bytes of [LONG, LONG.subarray(0, 5), Buffer.alloc(0)]) {
      const packed = wrap(bytes);
      const opened = await file('a.csv', packed);
      expect((await allOf(opened.chunks())).equals(bytes)).toBe(true);
      expect((await allOf(opened.chunks())).equals(bytes)).toBe(true);
      const pieces = [0, 1, 3, 5000, 200_000].map((at, index, all) => packed.subarray(at, all[index + 1]));
      expect((await allOf((await piped(pieces)).chunks())).equals(bytes)).toBe(true);
    }
  });

  it('come from one offset up to another', async () => {
    const opened = await file('a.csv', LONG);
    for (const [from, to] of [
      [0, 0],
      [0, 1],
      [7, 7 + 512 * 1024],
      [3, 1_100_000],
      [1_299_999, 2_000_000],
      [1_300_000, 1_300_001],
      [10, 5],
    ] as const) {
      expect((await allOf(opened.chunks(from, to))).equals(LONG.subarray(from, Math.max(from, to)))).toBe(true);
    }
    expect((await allOf(opened.chunks(1000))).equals(LONG.subarray(1000))).toBe(true);
  });

  it('come from standard input as text, too', async () => {
    expect(String(await allOf((await piped(['a,', 'é\n'])).chunks()))).toBe('a,é\n');
    const lines = 'é\n'.repeat(5000);
    for await (const chunk of (await piped([lines, lines])).chunks()) expect(chunk).toBeInstanceOf(Buffer);
  });

  it('of standard input are read no further than what it is shows', async () => {
    const given: number[] = [];
    function* pieces(): Generator<Buffer> {
      for (let piece = 0; piece < 100; piece++) {
        given.push(piece);
        yield text(3000);
      }
    }
    const stdin = Readable.from(pieces(), { objectMode: true, highWaterMark: 1 });
    const opened = await openBytes('-', inputSource('/', stdin), {});
    expect(given.length).toBeLessThan(5);
    expect((await allOf(opened.chunks())).length).toBe(300_000);
  });

  it('of a file that was read a little of are let go', async () => {
    const opened = await file('a.csv', LONG);
    for await (const chunk of opened.chunks()) {
      expect(chunk.equals(LONG.subarray(0, chunk.length))).toBe(true);
      break;
    }
    expect((await allOf(opened.chunks())).equals(LONG)).toBe(true);
  });
});

describe('what cannot be read', () => {
  it.each<[string, Buffer, string, number, number]>([
    ['UTF-16', Buffer.from('\ufeffa', 'utf16le'), 'the file is UTF-16; save it as UTF-8', 1, 1],
    ['a NUL', Buffer.from('ab\nc\0'), 'a NUL byte is here; is this a text file?', 2, 2],
    ['a NUL at once', Buffer.from('\0'), 'a NUL byte is here; is this a text file?', 1, 1],
    ['a NUL behind a mark', Buffer.from('\ufeffé\0'), 'a NUL byte is here; is this a text file?', 1, 2],
  ])('%s', async (_what, bytes, message, line, column) => {
    for (const opened of [
      () => file('a.csv', bytes),
      () => piped([bytes]),
      () => file('a.csv.gz', gzipSync(bytes)),
      () => piped([gzipSync(bytes)]),
    ]) {
      await expect(opened()).rejects.toMatchObject(refusal(message, line, column));
    }
  });

  it('Parquet may hold any bytes, but does not come from standard input', async () => {
    expect((await file('a', Buffer.from('PAR1\0\0'))).format).toBe('parquet');
    for (const opened of [() => piped(['PAR1\0']), () => piped(['x'], 'parquet')]) {
      await expect(opened()).rejects.toMatchObject({
        code: 'usage',
        message: 'Parquet cannot be read from standard input.',
        hint: 'Pass the path of the file.',
      });
    }
  });

  it.each([
    ['gzip', gzipSync(text(50_000)).subarray(0, 5000)],
    ['zstd', Buffer.concat([zstd(text(10)).subarray(0, 9), Buffer.from([0x07, 0, 0])])],
    ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ])('a damaged %s file', async (wrapping, bytes) => {
    const read = async (opened: Promise<InputBytes>): Promise<Buffer> => allOf((await opened).chunks());
    for (const [name, opened] of [
      ['a.csv', () => file('a.csv', bytes)],
      ['<stdin>', () => piped([bytes])],
    ] as const) {
      await expect(read(opened())).rejects.toMatchObject({
        code: 'input.invalid',
        message: `${name} cannot be read.`,
        issues: [
          { file: name, path: '', message: expect.stringMatching(`^is no whole ${wrapping} file: .`) as string },
        ],
      });
    }
  });

  it('what is there, but does not let itself be read, is no mistake of the command line', async () => {
    const cwd = temporaryFolder();
    symlinkSync('loop', join(cwd, 'loop'));
    await expect(openBytes('loop', inputSource(cwd), {})).rejects.toMatchObject({
      code: 'files.read',
      message: expect.stringMatching(/^Cannot read loop: ELOOP/) as string,
    });
  });

  it('what is not there, no file, or a device', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'folder'));
    writeFileSync(join(cwd, 'file'), '');
    const open = (path: string): Promise<InputBytes> => openBytes(path, inputSource(cwd), {});
    await expect(open('gone')).rejects.toMatchObject({
      code: 'files.read',
      exit: 'usage',
      message: 'Cannot read gone: there is no such file.',
      hint: 'Pass the path of a file, or - for standard input.',
    });
    await expect(open('folder')).rejects.toMatchObject({
      exit: 'usage',
      message: 'Cannot read folder: it is a folder.',
      hint: 'Pass the path of a file, or - for standard input.',
    });
    await expect(open('file/inside')).rejects.toMatchObject({
      exit: 'usage',
      message: 'Cannot read file/inside: there is no such file.',
    });
    await expect(open('/dev/null')).rejects.toMatchObject({
      code: 'usage',
      message: '/dev/null is a pipe or a device.',
      hint: 'Pass `-` instead, and redirect standard input: < /dev/null',
    });
  });
});
