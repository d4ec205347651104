// Decodes response bodies in every compression and charset that servers use, and reports invalid bytes.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Answer, readAnswer } from '../../../../src/lib/http/answer/answer.ts';

const read = (body: string | Buffer, headers: Record<string, string> = {}, tooLarge = false): Promise<Answer> =>
  readAnswer({ status: 203, headers, body: Buffer.from(body), size: 77, tooLarge });
const packed = (encoding: string): Record<string, string> => ({ 'content-encoding': encoding });
const typed = (type: string): Record<string, string> => ({ 'content-type': type });

const TEXT = '{"id":"é😀"}';

describe('readAnswer', () => {
  it('returns the status, the headers and the transferred size', async () => {
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
    ['several encodings in reverse order', brotliCompressSync(gzipSync(TEXT)), 'gzip, br'],
    ['several encodings without spaces', brotliCompressSync(gzipSync(TEXT)), 'gzip,br'],
    ['a body without an encoding', Buffer.from(TEXT), 'identity'],
    ['gzip next to empty and identity entries', gzipSync(TEXT), 'identity,  gzip,'],
  ])('decodes %s', async (_name, bytes, encoding) => {
    expect(await read(bytes, packed(encoding))).toMatchObject({ text: TEXT, problem: undefined });
  });

  it('accepts an empty body with any compression', async () => {
    expect(await read('', packed('gzip'))).toMatchObject({ text: '', problem: undefined });
    expect(await read('', packed('deflate'))).toMatchObject({ text: '', problem: undefined });
  });

  it.each<[string, string | Buffer, string, string | RegExp]>([
    ['invalid gzip', 'x', 'gzip', /^is not valid gzip data \(.+\)$/],
    ['invalid brotli', 'x', 'br', /^is not valid br data \(.+\)$/],
    ['truncated deflate', deflateSync(TEXT).subarray(0, 9), 'deflate', /^is not valid deflate data \(.+\)$/],
    ['an unknown encoding', TEXT, 'zstd', 'has an unknown content encoding ("zstd")'],
    ['an unknown inner encoding', gzipSync(TEXT), 'zstd, gzip', 'has an unknown content encoding ("zstd")'],
  ])('reports %s', async (_name, bytes, encoding, problem) => {
    const answer = await read(bytes, packed(encoding));
    expect(answer.text).toBe('');
    expect(answer.problem).toMatch(problem);
  });

  it('does not read an oversized body', async () => {
    expect(await read('', packed('zstd'), true)).toMatchObject({ text: '', problem: 'is larger than 16 MiB' });
  });

  it('applies the size limit to decompressed bodies', async () => {
    const limit = 16 * 1024 * 1024;
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
      ['deflate', deflateRawSync],
    ] as const) {
      const level = { level: 1, params: { 1: 0 } };
      const answer = await read(pack(Buffer.alloc(limit + 1, ' '), level), packed(encoding));
      expect(answer).toMatchObject({ text: '', problem: 'is larger than 16 MiB' });
    }
    expect((await read(gzipSync(Buffer.alloc(limit, ' '), { level: 1 }), packed('gzip'))).text).toHaveLength(limit);
  });

  it.each<[string, Buffer, string | undefined, string]>([
    ['UTF-8 by default', Buffer.from('é'), undefined, 'é'],
    ['UTF-8', Buffer.from('é'), 'application/json; charset=utf-8', 'é'],
    ['UTF-8 in quotes and capitals', Buffer.from('é'), 'application/json;CHARSET = "UTF-8"', 'é'],
    ['utf8', Buffer.from('é'), 'text/plain; charset=utf8', 'é'],
    ['ASCII that is UTF-8', Buffer.from('é'), 'text/plain; charset=US-ASCII', 'é'],
    ['Latin 1', Buffer.from([0xe9]), 'application/json;charset=ISO-8859-1', 'é'],
    ['Latin 1 with spaces', Buffer.from([0xe9]), 'text/plain ; charset = latin1', 'é'],
    ['a charset before another parameter', Buffer.from([0xe9]), 'text/plain; charset=latin1; x=y', 'é'],
    ['UTF-16', Buffer.from('é', 'utf16le'), 'text/plain; charset=utf-16le', 'é'],
    ['UTF-16 with its byte order mark', Buffer.from('\uFEFFé', 'utf16le'), 'x/y; charset=utf-16le', '\uFEFFé'],
    ['UTF-8 if only the type looks like a charset', Buffer.from('é'), 'text/charset=latin1', 'é'],
  ])('reads %s', async (_name, bytes, type, text) => {
    expect(await read(bytes, type === undefined ? {} : typed(type))).toMatchObject({ text, problem: undefined });
  });

  it('reports the name of an unknown charset', async () => {
    const answer = await read('x', typed('text/plain; charset=klingon'));
    expect(answer).toMatchObject({ text: '', problem: 'is in an unknown charset ("klingon")' });
  });

  it.each([
    ['utf-16le', Buffer.from([0x61, 0x00, 0xe9])],
    ['utf-16le', Buffer.from('\ud800', 'utf16le')],
    ['shift_jis', Buffer.from([0x81])],
    ['unicode-1-1-utf-8', Buffer.from([0x61, 0xe9])],
  ])('reports text that is invalid in %s', async (charset, bytes) => {
    const answer = await read(bytes, typed(`application/json; charset=${charset}`));
    expect(answer).toMatchObject({ text: expect.stringMatching(/\uFFFD$/), problem: `is not valid ${charset}` });
  });

  it('reports invalid UTF-8 and replaces the invalid bytes', async () => {
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
