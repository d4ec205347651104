// Recognizes compressed inputs by their first bytes, and decompresses them as they are read.
import { invalidInput, KnownError } from '../../kernel/errors.ts';

export type Wrapping = 'none' | 'gzip' | 'zstd';

export function wrappingOf(head: Buffer): Wrapping {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  return head.length >= 4 && head.readUInt32LE(0) === 0xfd2fb528 ? 'zstd' : 'none';
}

/** Decompresses the bytes. Throws invalid input (9) if they are damaged or incomplete. */
export async function* unwrap(chunks: AsyncIterable<Buffer>, wrapping: 'gzip' | 'zstd', name: string) {
  try {
    yield* wrapping === 'gzip' ? gunzip(chunks) : unzstd(chunks);
  } catch (error) {
    if (error instanceof KnownError) throw error;
    const message = `is not a complete ${wrapping} file: ${(error as Error).message}`;
    throw invalidInput(`${name} cannot be read.`, [{ file: name, path: '', message }]);
  }
}

async function* gunzip(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { createGunzip } = await import('node:zlib');
  const { pipeline, Readable: Source } = await import('node:stream');
  let last = Buffer.alloc(0);
  let given = 0;
  const copied = async function* () {
    for await (const chunk of chunks) {
      // Copy each chunk: the pipeline reads ahead, and the source may overwrite its chunks.
      last = Buffer.from(chunk);
      given += last.length;
      yield last;
    }
  };
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  const output = pipeline(Source.from(copied(), { highWaterMark: 1 }), gunzip, () => undefined);
  for await (const chunk of output) yield chunk as Buffer;
  // Node accepts zero bytes as padding, but ignores everything after them.
  const ignored = last.subarray(Math.max(0, last.length - (given - gunzip.bytesWritten)));
  if (ignored.some((byte) => byte !== 0)) throw new Error('data follows its padding');
}

async function* unzstd(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { Decompress } = await import('fzstd');
  let parts: Buffer[] = [];
  const stream = new Decompress((part) => parts.push(Buffer.from(part.buffer, part.byteOffset, part.byteLength)));
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += 64 * 1024) {
      stream.push(new Uint8Array(chunk.subarray(at, at + 64 * 1024)));
      const ready = parts;
      parts = [];
      yield* ready;
    }
  }
  stream.push(new Uint8Array(0), true);
  yield* parts;
}
