// A file as pieces of text, in order, for readers that need not see it whole.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { CliError } from '../kernel/errors.ts';
import { IS_UTF16, isUtf16, notText } from './encoding.ts';
import { cannotReadInput } from './read-input.ts';

export interface TextChunks {
  chunks: AsyncIterable<string>;
  /** Hex of the SHA-256 over the bytes; complete when the chunks are. */
  digest(): string;
}

/** Small: what is made of one piece is then gone before the collector counts it among what lives long. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Reads UTF-8 from the file at a path, or from bytes that were read before; a byte-order mark is left out. `name` is
 * the path as the user gave it. Throws CliError: no such file or a folder (2), unreadable (1), not UTF-8 (9).
 */
export function openText(source: string | Uint8Array, name: string): TextChunks {
  const hash = createHash('sha256');
  let digest: string | undefined;
  async function* chunks(): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let lines = 1;
    try {
      for await (const bytes of bytesOf(source)) {
        if (lines === 1 && isUtf16(bytes)) throw notText(name, { line: 1, column: 1 }, IS_UTF16);
        hash.update(bytes);
        const text = decoder.decode(bytes, { stream: true });
        lines += count(text);
        yield text;
      }
      yield decoder.decode();
    } catch (error) {
      if (error instanceof CliError) throw error;
      if (error instanceof TypeError)
        throw notText(name, { line: lines, column: 1 }, 'a byte from here on is not UTF-8; save the file as UTF-8');
      throw cannotReadInput(name, error);
    }
  }
  return { chunks: chunks(), digest: () => (digest ??= hash.digest('hex')) };
}

async function* bytesOf(source: string | Uint8Array): AsyncGenerator<Uint8Array> {
  if (typeof source === 'string') {
    for await (const chunk of createReadStream(source, { highWaterMark: CHUNK_BYTES })) yield chunk as Buffer;
    return;
  }
  for (let at = 0; at < source.length; at += CHUNK_BYTES) yield source.subarray(at, at + CHUNK_BYTES);
}

function count(text: string): number {
  let found = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) found++;
  return found;
}
