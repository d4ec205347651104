// Converts response bytes to text: decompresses them within the size limit, and decodes the charset.
import { isUtf8 } from 'node:buffer';
import { sizeText } from '../../kernel/words.ts';
import { MAX_ANSWER_BYTES, type RawReply } from '../types.ts';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** As much of the body as could be decoded. */
  text: string;
  size: number;
  /** Why the body cannot be trusted. Completes the sentence "the response …". */
  problem: string | undefined;
}

const TOO_LARGE = `is larger than ${sizeText(MAX_ANSWER_BYTES)}`;

export async function readAnswer({ status, headers, body, size, tooLarge }: RawReply): Promise<Answer> {
  const read = tooLarge ? { problem: TOO_LARGE } : await readBody(body, headers);
  return { status, headers, text: '', size, problem: undefined, ...read };
}

async function readBody(body: Buffer, headers: Record<string, string>): Promise<Partial<Answer>> {
  let bytes = body;
  const encodings = (headers['content-encoding'] ?? '').toLowerCase().split(/[\s,]+/);
  for (const encoding of encodings.reverse()) {
    if (encoding === '' || encoding === 'identity' || bytes.length === 0) continue;
    const decoded = await decompress(bytes, encoding);
    if (typeof decoded === 'string') return { problem: decoded };
    bytes = decoded;
  }
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
    const text = decoderFor(charset)?.decode(bytes);
    if (text === undefined) return { problem: `is in an unknown charset ("${charset}")` };
    return { text, ...(text.includes('\ufffd') && { problem: `is not valid ${charset}` }) };
  }
  // Text with undecodable bytes may be shown in messages, but must never be sent back.
  return { text: bytes.toString('utf8'), ...(!isUtf8(bytes) && { problem: 'is not valid UTF-8' }) };
}

async function decompress(bytes: Buffer, encoding: string): Promise<Buffer | string> {
  const zlib = await import('node:zlib');
  const limit = { maxOutputLength: MAX_ANSWER_BYTES };
  try {
    switch (encoding) {
      case 'gzip':
      case 'x-gzip':
        return zlib.gunzipSync(bytes, limit);
      case 'deflate':
        // Servers disagree on whether "deflate" includes a zlib header.
        return ((bytes[0] ?? 0) & 0x0f) === 8 ? zlib.inflateSync(bytes, limit) : zlib.inflateRawSync(bytes, limit);
      case 'br':
        return zlib.brotliDecompressSync(bytes, limit);
      default:
        return `has an unknown content encoding ("${encoding}")`;
    }
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return tooLarge ? TOO_LARGE : `is not valid ${encoding} data (${(error as Error).message})`;
  }
}

function decoderFor(charset: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset, { ignoreBOM: true });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
