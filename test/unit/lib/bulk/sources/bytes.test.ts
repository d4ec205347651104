// The format, the compression and the bytes of a bulk input.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openBytes, type InputBytes, type RowFormat } from '../../../../../src/lib/bulk/sources/bytes.ts';
import { inputSource } from '../../../../helpers/input-source.ts';
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts';
import { zstd } from '../../../../helpers/zstd.ts';

/** Text without repetition. */
const text = (length: number): Buffer =>
  Buffer.from(
    Array.from({ length: Math.ceil(length / 8) }, (_, index) => String(index).padStart(7, '0') + '\n').join(''),
  ).subarray(0, length);

async function allOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const copies: Buffer[] = [];
  // Copy each chunk, because the next one can overwrite it.
  for await (const chunk of chunks) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

/** Opens bytes as a file with the given name. */
async function openFile(name: string, bytes: Buffer | string, wanted?: RowFormat): Promise<InputBytes> {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, name), bytes);
  return openBytes(name, inputSource(cwd), { format: wanted });
}

/** Opens the chunks as standard input. */
const openPiped = (pieces: (Buffer | string)[], wanted?: RowFormat): Promise<InputBytes> =>
  openBytes('-', inputSource('/', Readable.from(pieces, { objectMode: true })), { format: wanted });

const rejection = (message: string, line?: number, column?: number) => ({
  code: 'input.invalid',
  issues: [expect.objectContaining({ message, ...(line && { line, column }) }) as object],
});

describe('the format', () => {
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
  ])('of a file named %s with the content %j is %s', async (name, content, format) => {
    expect((await openFile(name, content)).format).toBe(format);
  });

  it('is the requested format if one is requested', async () => {
    expect((await openFile('a.csv', '[1]', 'json')).format).toBe('json');
    expect((await openPiped(['[1]'], 'ndjson')).format).toBe('ndjson');
  });

  it('is detected inside compressed input', async () => {
    for (const wrap of [gzipSync, zstd]) {
      expect((await openFile('users', wrap(Buffer.from(' [{}]')))).format).toBe('json');
      expect((await openPiped([wrap(Buffer.from(' {}'))])).format).toBe('ndjson');
    }
  });

  it.each<[string, Buffer, string]>([
    ['a gzip file', gzipSync('a'), 'gzip'],
    ['a zstd file', zstd(Buffer.from('a')), 'zstd'],
    ['input with only the first byte of the gzip magic number', Buffer.from([0x1f, 0x20, 0x61]), 'none'],
    ['input with only the second byte of the gzip magic number', Buffer.from([0x20, 0x8b]), 'none'],
    ['input with only three bytes of the zstd magic number', Buffer.from([0x28, 0xb5, 0x2f]), 'none'],
    ['empty input', Buffer.alloc(0), 'none'],
  ])('is returned with the kind of compression, if any: %s', async (_what, bytes, wrapping) => {
    expect((await openFile('a.csv', bytes)).wrapping).toBe(wrapping);
    expect((await openPiped([bytes])).wrapping).toBe(wrapping);
  });

  it('is returned with the path, name and size of a file, but with only a name for standard input', async () => {
    const cwd = temporaryFolder();
    const packed = gzipSync('a,b\n');
    writeFileSync(join(cwd, 'a.csv.gz'), packed);
    expect(await openBytes('a.csv.gz', inputSource(cwd), {})).toMatchObject({
      name: 'a.csv.gz',
      key: join(cwd, 'a.csv.gz'),
      base: join(cwd, 'a.csv.gz'),
      size: packed.length,
    });
    expect(await openPiped(['a,b\n'])).toMatchObject({
      name: '<stdin>',
      format: 'csv',
      key: undefined,
      size: undefined,
    });
  });
});

describe('the bytes', () => {
  const LONG = text(1_300_000);

  it.each([
    ['plain', (bytes: Buffer) => bytes],
    ['gzip', gzipSync],
    ['zstd', zstd],
  ])('of %s input are read in full, once from standard input or repeatedly from a file', async (_how, wrap) => {
    for (const bytes of [LONG, LONG.subarray(0, 5), Buffer.alloc(0)]) {
      const packed = wrap(bytes);
      const opened = await openFile('a.csv', packed);
      expect((await allOf(opened.chunks())).equals(bytes)).toBe(true);
      expect((await allOf(opened.chunks())).equals(bytes)).toBe(true);
      const pieces = [0, 1, 3, 5000, 200_000].map((at, index, all) => packed.subarray(at, all[index + 1]));
      expect((await allOf((await openPiped(pieces)).chunks())).equals(bytes)).toBe(true);
    }
  });

  it('are read from a start offset up to an end offset', async () => {
    const opened = await openFile('a.csv', LONG);
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

  it('are encoded as UTF-8 if standard input yields strings', async () => {
    expect(String(await allOf((await openPiped(['a,', 'é\n'])).chunks()))).toBe('a,é\n');
    const lines = 'é\n'.repeat(5000);
    for await (const chunk of (await openPiped([lines, lines])).chunks()) expect(chunk).toBeInstanceOf(Buffer);
  });

  it('are read from standard input only until the format is detected', async () => {
    const pulled: number[] = [];
    function* pieces(): Generator<Buffer> {
      for (let piece = 0; piece < 100; piece++) {
        pulled.push(piece);
        yield text(3000);
      }
    }
    const stdin = Readable.from(pieces(), { objectMode: true, highWaterMark: 1 });
    const opened = await openBytes('-', inputSource('/', stdin), {});
    expect(pulled.length).toBeLessThan(5);
    expect((await allOf(opened.chunks())).length).toBe(300_000);
  });

  it('are read again from the start of a file if a previous read stopped early', async () => {
    const opened = await openFile('a.csv', LONG);
    for await (const chunk of opened.chunks()) {
      expect(chunk.equals(LONG.subarray(0, chunk.length))).toBe(true);
      break;
    }
    expect((await allOf(opened.chunks())).equals(LONG)).toBe(true);
  });
});

describe('unreadable input', () => {
  it.each<[string, Buffer, string, number, number]>([
    ['UTF-16', Buffer.from('\ufeffa', 'utf16le'), 'the file is UTF-16; save it as UTF-8', 1, 1],
    [
      'a NUL',
      Buffer.from('ab\nc\0'),
      'unexpected NUL byte; export the data as Parquet, CSV or NDJSON, plain or as gzip or zstd',
      2,
      2,
    ],
    [
      'a NUL as the first byte',
      Buffer.from('\0'),
      'unexpected NUL byte; export the data as Parquet, CSV or NDJSON, plain or as gzip or zstd',
      1,
      1,
    ],
    [
      'a NUL after a byte order mark',
      Buffer.from('\ufeffé\0'),
      'unexpected NUL byte; export the data as Parquet, CSV or NDJSON, plain or as gzip or zstd',
      1,
      2,
    ],
  ])('is rejected: %s', async (_what, bytes, message, line, column) => {
    for (const opened of [
      () => openFile('a.csv', bytes),
      () => openPiped([bytes]),
      () => openFile('a.csv.gz', gzipSync(bytes)),
      () => openPiped([gzipSync(bytes)]),
    ]) {
      await expect(opened()).rejects.toMatchObject(rejection(message, line, column));
    }
  });

  it('is rejected if it is Parquet on standard input rather than in a file', async () => {
    expect((await openFile('a', Buffer.from('PAR1\0\0'))).format).toBe('parquet');
    for (const opened of [() => openPiped(['PAR1\0']), () => openPiped(['x'], 'parquet')]) {
      await expect(opened()).rejects.toMatchObject({
        code: 'usage',
        message: 'Parquet cannot be read from standard input.',
        hint: 'Pass the path of the file.',
      });
    }
  });

  it.each([
    ['a truncated gzip file', 'gzip', gzipSync(text(50_000)).subarray(0, 5000)],
    ['gzip data after padding', 'gzip', Buffer.concat([gzipSync('a\n'), Buffer.alloc(512), gzipSync('b\n')])],
    ['an invalid zstd block', 'zstd', Buffer.concat([zstd(text(10)).subarray(0, 9), Buffer.from([0x07, 0, 0])])],
    ['only the zstd magic number', 'zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ])('is rejected: %s', async (_what, wrapping, bytes) => {
    const read = async (opened: Promise<InputBytes>): Promise<Buffer> => allOf((await opened).chunks());
    for (const [name, opened] of [
      ['a.csv', () => openFile('a.csv', bytes)],
      ['<stdin>', () => openPiped([bytes])],
    ] as const) {
      await expect(read(opened())).rejects.toMatchObject({
        code: 'input.invalid',
        message: `${name} cannot be read.`,
        issues: [
          { file: name, path: '', message: expect.stringMatching(`^is not a complete ${wrapping} file: .`) as string },
        ],
      });
    }
  });

  it('is reported as a file error, not as a usage error, if it is a symbolic link to itself', async () => {
    const cwd = temporaryFolder();
    symlinkSync('loop', join(cwd, 'loop'));
    await expect(openBytes('loop', inputSource(cwd), {})).rejects.toMatchObject({
      code: 'files.read',
      message: expect.stringMatching(/^Cannot read loop: its symbolic link/) as string,
    });
  });

  it('is rejected, whether it is a missing file, a folder or a device', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'folder'));
    writeFileSync(join(cwd, 'file'), '');
    const open = (path: string): Promise<InputBytes> => openBytes(path, inputSource(cwd), {});
    await expect(open('gone')).rejects.toMatchObject({
      code: 'files.read',
      exit: 'usage',
      message: 'Cannot read gone: no such file.',
      hint: 'Pass the path of a file, or - for standard input.',
    });
    await expect(open('folder')).rejects.toMatchObject({
      exit: 'usage',
      message: 'Cannot read folder: it is a folder.',
      hint: 'Pass the path of a file, or - for standard input.',
    });
    await expect(open('file/inside')).rejects.toMatchObject({
      exit: 'usage',
      message: 'Cannot read file/inside: no such file.',
    });
    await expect(open('/dev/null')).rejects.toMatchObject({
      code: 'usage',
      message: '/dev/null is a pipe or a device.',
      hint: 'Pass `-` instead, and redirect standard input: < /dev/null',
    });
  });
});
