// Guarantees that a bulk run sends and records the same bytes that it checked and showed. For an input that is read
// several times, the first pass records a digest per chunk. A file that is read once is identified by its inode, size
// and times. For an address that is read once, see `remote.ts`.
import { hash } from 'node:crypto';
import { type BigIntStats, fstatSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { fail } from '../../errors/fail.ts';
import { type Fingerprint, fingerprint, isSameContent } from '../../files/bulk-journal.ts';
import type { KnownError } from '../../kernel/errors.ts';

/** Returns a conflict error (6). A bulk command adds to it what was sent and how to continue. */
export function inputChanged(name: string): KnownError {
  return fail('input.changed', {
    message: `${name} changed while the command was running.`,
    hint: 'Run the command again when no other program is writing to the file.',
  });
}

/** Compares each pass with the first one. `read` must split the same bytes into the same chunks every time. */
export function sameChunks(name: string, read: () => AsyncIterable<Buffer>) {
  const digests: string[] = [];
  let count = Infinity;
  async function* chunks(): AsyncGenerator<Buffer> {
    let index = 0;
    for await (const chunk of read()) {
      const digest = hash('sha256', chunk, 'base64');
      if (index === count || (digests[index] ??= digest) !== digest) throw inputChanged(name);
      index++;
      yield chunk;
    }
    if (count === Infinity) count = index;
    if (index !== count) throw inputChanged(name);
  }
  return {
    chunks,
    verify: async (signal?: AbortSignal): Promise<void> => {
      for await (const _chunk of chunks()) signal?.throwIfAborted();
    },
  };
}

export function sameFile(name: string, path: string, opened: BigIntStats) {
  let stamp = stampOf(opened);
  let known: Fingerprint | undefined;

  async function check(stats: BigIntStats | undefined): Promise<void> {
    const now = stampOf(stats);
    if (now === stamp) return;
    // A backup or a chmod changes only the change time, so compare the content.
    const found = known && (await fingerprint(path).catch(() => undefined));
    if (known === undefined || found === undefined || !isSameContent([known], [found])) throw inputChanged(name);
    stamp = now;
  }
  const verify = async (): Promise<void> => await check(statSync(path, { bigint: true, throwIfNoEntry: false }));

  return {
    verify,
    chunks: (start?: number, end?: number): AsyncGenerator<Buffer> =>
      readFileChunks(path, start, end, async (file) => await check(fstatSync(file, { bigint: true }))),
    file: async (): Promise<string> => {
      await verify();
      return path;
    },
    fingerprint: async (): Promise<Fingerprint> => {
      if (known !== undefined) return known;
      const found = await fingerprint(path);
      await verify();
      return (known = found);
    },
  };
}

function stampOf(stats: BigIntStats | undefined): string {
  if (stats === undefined) return '';
  const { ctimeNs, dev, ino, mtimeNs, size } = stats;
  return [dev, ino, size, mtimeNs, ctimeNs].join();
}

export const cannotChange = (): Promise<void> => Promise.resolve();

/** Less than a million, because V8 stores longer strings outside its heap, where searching is several times slower. */
export const CHUNK_BYTES = 512 * 1024;

/** Yields equal chunks of two buffers: one is read while the other is processed. `check` throws if the file changed. */
export async function* readFileChunks(
  path: string,
  start = 0,
  end = Infinity,
  check: (descriptor: number) => Promise<void> = cannotChange,
): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  const buffers = [Buffer.allocUnsafeSlow(CHUNK_BYTES), Buffer.allocUnsafeSlow(CHUNK_BYTES)];
  const read = async (turn: number, at: number): Promise<Buffer> => {
    const buffer = buffers[turn % 2] as Buffer;
    const wanted = Math.max(0, Math.min(CHUNK_BYTES, end - at));
    let size = 0;
    for (let bytesRead = 1; size < wanted && bytesRead > 0; size += bytesRead)
      ({ bytesRead } = await file.read(buffer, size, wanted - size, at + size));
    return buffer.subarray(0, size);
  };
  let pending: ReturnType<typeof read> | undefined;
  try {
    pending = read(0, start);
    for (let at = start, turn = 0; ; turn++) {
      const chunk = await pending;
      pending = undefined;
      await check(file.fd);
      if (chunk.length === 0) return;
      at += chunk.length;
      pending = read(turn + 1, at);
      yield chunk;
    }
  } finally {
    await pending?.catch(() => undefined);
    await file.close();
  }
}
