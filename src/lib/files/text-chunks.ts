// A file as pieces of text, in order, for readers that need not see it whole.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { CliError, EXIT, invalidInput, systemErrorCode } from '../kernel/errors.ts';
import { cannotRead } from '../kernel/file-failure.ts';

export interface TextChunks {
  chunks: AsyncIterable<string>;
  /** Hex of the SHA-256 over the bytes; complete when the chunks are. */
  digest(): string;
}

/** Small: what is made of one piece is then gone before the collector counts it among what lives long. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Reads UTF-8 from the file at a path, or from bytes that were read before; a byte-order mark is left out. `name` is
 * the path as the user gave it. Throws CliError: no such file (2), not UTF-8 (9).
 */
export function openText(source: string | Uint8Array, name: string): TextChunks {
  const hash = createHash('sha256');
  let digest: string | undefined;
  async function* chunks(): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let lines = 1;
    try {
      for await (const bytes of bytesOf(source)) {
        if (lines === 1 && isUtf16(bytes)) throw badText(name, 1, 'the file is UTF-16; save it as UTF-8');
        hash.update(bytes);
        const text = decoder.decode(bytes, { stream: true });
        lines += count(text);
        yield text;
      }
      yield decoder.decode();
    } catch (error) {
      if (error instanceof CliError) throw error;
      if (error instanceof TypeError)
        throw badText(name, lines, 'a byte from here on is not UTF-8; save the file as UTF-8');
      const code = systemErrorCode(error);
      if (code === 'ENOENT' || code === 'EISDIR') {
        throw new CliError({
          code: 'files.read',
          message: `Cannot read ${name}: ${code === 'ENOENT' ? 'there is no such file' : 'it is a folder'}.`,
          exit: EXIT.usage,
          cause: error,
        });
      }
      throw cannotRead(name, error);
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

function isUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

function badText(file: string, line: number, message: string): CliError {
  return invalidInput(`${file} cannot be read as text.`, [{ file, line, column: 1, path: '', message }]);
}

function count(text: string): number {
  let found = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) found++;
  return found;
}
