// The checkpoint journal of a bulk run: one small private file, written anew at each checkpoint, so that it never grows.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { array, boolean, literal, nonnegative, nullable, number, object, string } from 'zod/mini';
import { readPrivateFile, removeFile, writePrivateFile } from '../kernel/durable.ts';
import { type Lock, tryLock } from '../kernel/lock.ts';
import { fail } from '../errors/fail.ts';

/** What tells one content of a file from another without reading all of it. */
export interface Fingerprint {
  path: string;
  size: number;
  modified: number;
  /** Over the beginning, the end and samples between. */
  hash: string;
}

export interface SeedCounts {
  accepted: number;
  rejected: number;
  batches: number;
  requests: number;
  retries: number;
  /** Milliseconds. */
  ms: number;
}

export interface SeedCheckpoint {
  files: Fingerprint[];
  mark: { file: number; position: number; offset: number };
  beyond: { file: number; from: number; to: number }[];
  counts: SeedCounts;
  /** The rejects file and how much of it belongs to what is complete; null when a finished run has none. */
  rejects: { path: string; bytes: number } | null;
  finished: boolean;
}

export type SeedJournal = ReturnType<typeof openSeedJournal>;

/** `key` is what makes a run the same run: its inputs, where it sends to, and its shard. */
export function openSeedJournal(folder: string, key: readonly string[]) {
  const name = createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 24);
  const path = join(folder, `${name}.json`);
  return {
    path,
    read: (): SeedCheckpoint | undefined => {
      const text = readPrivateFile(path);
      return text === undefined ? undefined : parse(path, text);
    },
    write: (checkpoint: SeedCheckpoint): void =>
      writePrivateFile(path, `${JSON.stringify({ version: 1, ...checkpoint })}\n`),
    remove: (): void => removeFile(path),
    /** Keeps other processes off the run until it is released. Throws a guard's refusal (12) while one is at it. */
    hold: (): Lock => {
      const lock = tryLock(`${path}.lock`);
      if (lock !== undefined) return lock;
      throw fail('seed.running', {
        message: 'Another process is sending this file at this moment.',
        hint: 'Wait until it has ended, or end it, and go on with --resume.',
      });
    },
  };
}

const Count = number().check(nonnegative());
const Checkpoint = object({
  version: literal(1),
  files: array(object({ path: string(), size: Count, modified: number(), hash: string() })),
  // The offset is -1 where rows are no stretches of bytes, as in a compressed file.
  mark: object({ file: Count, position: Count, offset: number() }),
  beyond: array(object({ file: Count, from: Count, to: Count })),
  counts: object({
    accepted: Count,
    rejected: Count,
    batches: Count,
    requests: Count,
    retries: Count,
    ms: number(),
  }),
  rejects: nullable(object({ path: string(), bytes: Count })),
  finished: boolean(),
});

function parse(path: string, text: string): SeedCheckpoint {
  try {
    const value = Checkpoint.safeParse(JSON.parse(text));
    if (value.success) return value.data;
  } catch {
    // Told below.
  }
  throw fail('seed.journal', {
    message: `The journal ${path} cannot be read.`,
    hint: 'Start the run from the beginning with --restart: a row that is sent again sets the same values again.',
  });
}

const EDGE_BYTES = 64 * 1024;
const SAMPLES = 32;
const SAMPLE_BYTES = 4096;

/** Reads at most 260 KB, however large the file is. */
export async function fingerprint(path: string): Promise<Fingerprint> {
  const { size, mtimeMs } = await stat(path);
  const file = await open(path, 'r');
  try {
    const hash = createHash('sha256');
    const take = async (offset: number, length: number) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, Math.max(0, Math.floor(offset)));
      hash.update(buffer.subarray(0, bytesRead));
    };
    await take(0, EDGE_BYTES);
    for (let sample = 1; sample < SAMPLES; sample++) await take((size / SAMPLES) * sample, SAMPLE_BYTES);
    await take(size - EDGE_BYTES, EDGE_BYTES);
    return { path, size, modified: mtimeMs, hash: hash.digest('hex') };
  } finally {
    await file.close();
  }
}

/** Whether two fingerprints are of one content. A file that was written to since is another one. */
export function isSameContent(a: readonly Fingerprint[], b: readonly Fingerprint[]): boolean {
  return (
    a.length === b.length &&
    a.every((one, index) => {
      const other = b[index];
      return one.size === other?.size && one.hash === other.hash && one.modified === other.modified;
    })
  );
}
