// The journals of bulk runs: private files that an interrupted run resumes from. Journals contain no identities.
import { createHash, hash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod/mini';
import { parseWith } from '../contract/explain.ts';
import { fail } from '../errors/fail.ts';
import { readPrivateFile, removeFile, writePrivateFile } from '../kernel/durable.ts';
import { type DurableLog, openDurableLog } from '../kernel/line-file.ts';
import type { KnownError } from '../kernel/errors.ts';
import { isRecord, parseJsonOr, stringifyJson, tryJson } from '../kernel/json.ts';
import { type Lock, tryLock } from '../kernel/lock.ts';
import { isUuid } from '../kernel/words.ts';
import { decoded, linesOf } from './read-input.ts';

/** Returns the path of a run's journal. Commands with the same `key` use the same journal. */
export function journalPath(kind: 'seed' | 'dsr', stateFolder: string, key: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(key)).digest('hex');
  return kind === 'seed'
    ? join(stateFolder, 'seed', `${digest.slice(0, 24)}.json`)
    : join(stateFolder, 'dsr', 'bulk', `${digest.slice(0, 32)}.ndjson`);
}

function hold(path: string, code: 'seed.running' | 'dsr.bulk_running'): Lock {
  const lock = tryLock(`${path}.lock`);
  if (lock !== undefined) return lock;
  throw fail(code, {
    message: 'This bulk run is already in progress in another process.',
    hint: 'Wait for it to finish, or stop that process and pass --resume to continue the run.',
  });
}

const digestOf = (record: object): string => hash('sha256', stringifyJson(record));

/** Returns the line of a record, with its digest: after an edit by hand, a run could skip a row or send it twice. */
const sealed = (record: object): string => `${JSON.stringify({ ...record, digest: digestOf(record) })}\n`;

/** Returns the record without its digest; undefined if it was edited. Earlier versions wrote no digest. */
function unsealed(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  const { digest, ...record } = value;
  return digest === undefined || digest === digestOf(record) ? record : undefined;
}

// Schemas are built lazily, because `--help` of the bulk commands loads this file.
const count = () => z.int().check(z.nonnegative());

function checkpointSchema() {
  const Count = count();
  const Checkpoint = z.object({
    version: z.literal(1),
    /** `size`, `modified` and `hash` reveal a changed file. `hash` covers the start, the end and samples in between. */
    files: z.array(z.object({ path: z.string(), size: Count, modified: z.number(), hash: z.string() })),
    /** A digest of the flags that determine each row's request. Absent in journals from older versions. */
    settings: z.optional(z.string()),
    /** Every row up to this position is complete. `offset` is -1 if a resumed run must read the file from the start. */
    mark: z.object({ file: Count, position: Count, offset: z.int().check(z.gte(-1)) }),
    /** Ranges after `mark` in which every row is complete. */
    beyond: z.array(z.object({ file: Count, from: Count, to: Count })),
    counts: z.object({
      accepted: Count,
      rejected: Count,
      batches: Count,
      requests: Count,
      retries: Count,
      ms: z.number(),
    }),
    /** Length and SHA-256 of the rejects file; null without rejected rows. Journals of old versions have no digest. */
    rejects: z.nullable(
      z.object({
        path: z.string(),
        bytes: Count,
        digest: z.optional(z.string()),
        /** Files that contain rows rejected earlier in the run. */
        others: z.optional(z.array(z.string())),
        /** The state that includes the rows that are about to be added. */
        next: z.optional(z.object({ bytes: Count, digest: z.string() })),
      }),
    ),
    finished: z.boolean(),
  });
  // A run that skips rows that do not exist would report all rows as sent.
  return Checkpoint.check(
    z.refine(({ beyond, files, mark: { file: last, offset, position } }) => {
      const isInside = offset < 0 || (position <= offset && offset <= (files[last]?.size ?? 0));
      const hasFile = (file: number): boolean => file < Math.max(1, files.length);
      return isInside && hasFile(last) && beyond.every(({ file, from, to }) => hasFile(file) && from <= to);
    }),
  );
}
export type SeedCheckpoint = Omit<z.infer<ReturnType<typeof checkpointSchema>>, 'version'>;
export type Fingerprint = SeedCheckpoint['files'][number];
export type SeedCounts = SeedCheckpoint['counts'];

export type SeedJournal = ReturnType<typeof openSeedJournal>;

/** Opens a journal whose file is replaced at each checkpoint. Throws guard (12) if another process has it open. */
export function openSeedJournal(path: string) {
  const lock = hold(path, 'seed.running');
  return {
    path,
    /** Returns the last checkpoint, if any. A run that starts over can replace a damaged file. */
    read: (isRestart = false): SeedCheckpoint | undefined => {
      const text = readPrivateFile(path);
      if (text === undefined) return undefined;
      const { data } = parseWith(checkpointSchema(), unsealed(tryJson(text)));
      if (data !== undefined || isRestart) return data;
      throw fail('seed.journal', {
        message: `The journal ${path} cannot be read.`,
        hint: 'Start over with --restart. Sending a row twice is safe: it sets the same values again.',
      });
    },
    write: (checkpoint: SeedCheckpoint): void => writePrivateFile(path, sealed({ version: 1, ...checkpoint })),
    remove: (): void => removeFile(path),
    close: lock.release,
  };
}

/** The states of more rows do not fit in memory. */
const MAX_ROWS = 2 ** 28 - 2;

const headSchema = () =>
  z.object({
    version: z.literal(1),
    /** The path, as the user passed it. */
    input: z.string(),
    rows: count().check(z.lte(MAX_ROWS)),
    /** A digest of the flags that determine each row's request. */
    settings: z.string(),
    results: z.string().check(z.refine(isAbsolute)),
    /** Time for rows that do not state a submission time, saved so that a resumed run sends the same bodies. */
    submitted_time: z.string(),
    at: z.string(),
  });
export type JournalHead = z.infer<ReturnType<typeof headSchema>>;

/** `p`: rows and their ids, before they are sent. `u`: rows that were not sent. `d`: outcomes and errors. */
function lineSchema() {
  const Count = count();
  const State = z.enum(['submitted', 'existing', 'failed', 'skipped', 'unknown', 'repeat', 'differs']);
  return z.union([
    z.strictObject({ p: z.array(z.tuple([Count, z.string().check(z.refine(isUuid))])) }),
    z.strictObject({ u: z.array(Count) }),
    z.strictObject({ d: z.array(z.tuple([Count, State, z.optional(z.string())])) }),
  ]);
}
export type JournalLine = z.infer<ReturnType<typeof lineSchema>>;

export type DsrJournal = ReturnType<typeof openDsrJournal>;

/** Opens a journal to which lines are only appended. Throws guard (12) if another process has it open. */
export function openDsrJournal(path: string) {
  const lock = hold(path, 'dsr.bulk_running');
  let log: DurableLog | undefined;
  return {
    path,
    /** Returns the head that an earlier run wrote, if any. Throws if the file is not a journal. */
    head: async (): Promise<JournalHead | undefined> => {
      if (!existsSync(path)) return undefined;
      const lines = journalLines(path);
      const first = await lines.next();
      const value = valueOf(first.value ?? '');
      const { data } = parseWith(headSchema(), unsealed(value));
      const isAlone = first.done === true || (await lines.next()).done === true;
      await lines.return(undefined);
      if (data !== undefined) return data;
      // Without newlines, a whole journal would be a single line.
      if (!isAlone || value !== undefined) throw unreadable(path);
      // The process was killed while it wrote its first line, so nothing was sent.
      removeFile(path);
      return undefined;
    },
    /** Yields every complete line after the head. Throws for a line that the program did not write. */
    lines: async function* (): AsyncGenerator<JournalLine> {
      const schema = lineSchema();
      let isFirst = true;
      for await (const line of journalLines(path)) {
        const value = isFirst ? undefined : valueOf(line);
        isFirst = false;
        if (value === undefined) continue;
        const { data } = parseWith(schema, unsealed(value));
        if (data === undefined) throw unreadable(path);
        yield data;
      }
    },
    write: (...lines: (JournalHead | JournalLine)[]): void => {
      log ??= openDurableLog(path);
      log.append(lines.map(sealed).join(''));
    },
    remove: (): void => removeFile(path),
    close: (): void => {
      log?.close();
      lock.release();
    },
  };
}

async function* journalLines(path: string): AsyncGenerator<string, undefined> {
  // A kill or a power failure may cut off a line inside a character.
  for await (const lines of linesOf(decoded(createReadStream(path), path, false)))
    for (const line of lines) if (line !== '') yield line;
  return undefined;
}

/** Returns the value of a line; undefined if a kill or a power failure cut it off, null if it is damaged otherwise. */
function valueOf(line: string): unknown {
  // Some editors end every line with a carriage return.
  const isCutOff = (offset: number): boolean => ['\0', '\r', undefined].includes(line[offset]);
  return parseJsonOr(line, ({ offset = 0 }) => (isCutOff(offset) ? undefined : null));
}

const NEXT_STEPS = [
  { text: 'Keep the file. To see what was submitted:', command: 'cdpadm dsr ledger export' },
  'To continue, move the journal to another folder and run the command again. Do not pass --allow-duplicates: the check for duplicates then rejects the rows that were submitted.',
];

function unreadable(path: string): KnownError {
  return fail('dsr.journal', {
    message: `The journal ${path} cannot be read, so it is unknown what was submitted.`,
    hint: NEXT_STEPS,
  });
}

/** Returns the error for a journal that cannot be the journal of the input. `what` is the evidence. */
export function foreignJournal({ path }: DsrJournal, what: string): KnownError {
  return fail('dsr.journal', {
    message: `The journal ${path} does not belong to this file, or it is damaged: ${what}. Nothing was sent.`,
    hint: NEXT_STEPS,
  });
}

const EDGE_BYTES = 64 * 1024;
const SAMPLES = 32;
const SAMPLE_BYTES = 4096;

/** Returns the fingerprint of a file. Reads at most 252 KiB. */
export async function fingerprint(path: string): Promise<Fingerprint> {
  const file = await open(path, 'r');
  try {
    const { size, mtimeMs } = await file.stat();
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

/** True if two lists of fingerprints describe the same content. A different modification time counts as a change. */
export function isSameContent(a: readonly Fingerprint[], b: readonly Fingerprint[]): boolean {
  const contentOf = (files: readonly Fingerprint[]): string =>
    JSON.stringify(files.map(({ hash, modified, size }) => [hash, modified, size]));
  return contentOf(a) === contentOf(b);
}
