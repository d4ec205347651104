// From bytes to text: every compression and charset that servers use, and what is said of bytes that are none.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Answer, readAnswer } from '../../../../src/lib/http/answer/answer.ts';

const read = (body: string | Buffer, headers: Record<string, string> = {}, tooLarge = false): Promise<Answer> =>
  readAnswer({ status: 203, headers, body: Buffer.from(body), size: 77, tooLarge });
const packed = (encoding: string): Record<string, string> => ({ 'content-encoding': encoding });
const typed = (type: string): Record<string, string> => ({ 'content-type': type });

const TEXT = '{"id":"é😀"}';

describe('readAnswer', () => {
  it('keeps status, headers and the size on the wire', async () => {
    expect(await read(TEXT, { 'x-a': 'b' })).toEqual({
      status: 203,
      headers: { 'x-a': 'b' },
      text: TEXT,
      size: 77,
      problem: undefined,
    });
  });

  it.each<[string, Buffer, string]>([
    ['gzip', gzipSync(TEXT), 'gzip'],
    ['gzip in capitals', gzipSync(TEXT), 'GZIP'],
    ['x-gzip', gzipSync(TEXT), 'x-gzip'],
    ['deflate', deflateSync(TEXT), 'deflate'],
    ['deflate without a header', deflateRawSync(TEXT), 'deflate'],
    ['brotli', brotliCompressSync(TEXT), 'br'],
    ['the last of several first', brotliCompressSync(gzipSync(TEXT)), 'gzip, br'],
    ['several without blanks', brotliCompressSync(gzipSync(TEXT)), 'gzip,br'],
    ['none', Buffer.from(TEXT), 'identity'],
    ['none besides one', gzipSync(TEXT), 'identity,  gzip,'],
  ])('decompresses %s', async (_name, bytes, encoding) => {
    expect(await read(bytes, packed(encoding))).toMatchObject({ text: TEXT, problem: undefined });
  });

  it('takes nothing for nothing, however it is said to be compressed', async () => {
    expect(await read('', packed('gzip'))).toMatchObject({ text: '', problem: undefined });
    expect(await read('', packed('deflate'))).toMatchObject({ text: '', problem: undefined });
  });

  it.each<[string, string | Buffer, string, string | RegExp]>([
    ['gzip that is none', 'x', 'gzip', /^is not valid gzip data \(.+\)$/],
    ['brotli that is none', 'x', 'br', /^is not valid br data \(.+\)$/],
    ['half of it', deflateSync(TEXT).subarray(0, 9), 'deflate', /^is not valid deflate data \(.+\)$/],
    ['an unknown one', TEXT, 'zstd', 'has an unknown content encoding ("zstd")'],
    ['an unknown one inside', gzipSync(TEXT), 'zstd, gzip', 'has an unknown content encoding ("zstd")'],
  ])('says of %s what is wrong', async (_name, bytes, encoding, problem) => {
    const answer = await read(bytes, packed(encoding));
    expect(answer.text).toBe('');
    expect(answer.problem).toMatch(problem);
  });

  it('reads nothing of what was too large already', async () => {
    expect(await read('', packed('zstd'), true)).toMatchObject({ text: '', problem: 'is larger than 16 MB' });
  });

  it('decompresses no more than is read uncompressed', async () => {
    const most = 16 * 1024 * 1024;
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
      ['deflate', deflateRawSync],
    ] as const) {
      const level = { level: 1, params: { 1: 0 } };
      const answer = await read(pack(Buffer.alloc(most + 1, ' '), level), packed(encoding));
      expect(answer).toMatchObject({ text: '', problem: 'is larger than 16 MB' });
    }
    expect((await read(gzipSync(Buffer.alloc(most, ' '), { level: 1 }), packed('gzip'))).text).toHaveLength(most);
  });

  it.each<[string, Buffer, string | undefined, string]>([
    ['UTF-8 where none is named', Buffer.from('é'), undefined, 'é'],
    ['UTF-8', Buffer.from('é'), 'application/json; charset=utf-8', 'é'],
    ['UTF-8 in quotes and capitals', Buffer.from('é'), 'application/json;CHARSET = "UTF-8"', 'é'],
    ['utf8', Buffer.from('é'), 'text/plain; charset=utf8', 'é'],
    ['ASCII that is UTF-8', Buffer.from('é'), 'text/plain; charset=US-ASCII', 'é'],
    ['Latin 1', Buffer.from([0xe9]), 'application/json;charset=ISO-8859-1', 'é'],
    ['Latin 1 with blanks', Buffer.from([0xe9]), 'text/plain ; charset = latin1', 'é'],
    ['another field after it', Buffer.from([0xe9]), 'text/plain; charset=latin1; x=y', 'é'],
    ['UTF-16', Buffer.from('é', 'utf16le'), 'text/plain; charset=utf-16le', 'é'],
    [
      'a byte-order mark, which its reader knows',
      Buffer.from('\uFEFFé', 'utf16le'),
      'x/y; charset=utf-16le',
      '\uFEFFé',
    ],
    ['a word that only looks like one', Buffer.from('é'), 'text/charset=latin1', 'é'],
  ])('reads %s', async (_name, bytes, type, text) => {
    expect(await read(bytes, type === undefined ? {} : typed(type))).toMatchObject({ text, problem: undefined });
  });

  it('says of a charset that nobody knows its name', async () => {
    const answer = await read('x', typed('text/plain; charset=klingon'));
    expect(answer).toMatchObject({ text: '', problem: 'is in an unknown charset ("klingon")' });
  });

  it('shows bytes that are no UTF-8 as far as it can, and does not rely on them', async () => {
    for (const type of [
      'text/plain',
      'text/plain; charset=utf-8',
      'text/plain; charset=utf8',
      'x/y; charset=us-ascii',
    ]) {
      const answer = await read(Buffer.from([0x61, 0xe9]), typed(type));
      expect(answer).toMatchObject({ text: 'a\uFFFD', problem: 'is not valid UTF-8' });
    }
  });
});
