// The rejects file: private NDJSON. Each line contains a row with its position and reason, and can be sent again
// unless it has a `record`.
import { createHash, type Hash } from 'node:crypto';
import * as fs from 'node:fs';
import { cannotWrite, type Hint, systemErrorCode } from '../kernel/errors.ts';
import { isJson } from '../kernel/json.ts';
import { freeName, nameTaken } from '../kernel/temporary-file.ts';
import type { SeedCheckpoint } from './bulk-journal.ts';
import { decoded, linesOf } from './read-input.ts';

export interface Reject {
  file: string;
  /** Line where the row starts, or the row's number if the format has no lines (Parquet). */
  line: number;
  reason: string;
  /** The row as it was read. */
  original: string;
  /** True if the row is the text of a table record: even if corrected, it would not be a body. */
  isTableRecord?: boolean;
}

export type RejectsFile = ReturnType<typeof openRejects>;

export type RejectsState = NonNullable<SeedCheckpoint['rejects']>;

const PRIVATE = 0o600;

export const REJECTS_TAKEN = 'Move it elsewhere, or pass another file: --rejects FILE.';

/** Maximum number of bytes to keep in memory before the rows must be written with a checkpoint. */
const MOST_WAITING = 1024 * 1024;

/** True if the file is as the run left it, even if the run was killed after it wrote rows but before a checkpoint. */
export function isUntouched({ next, ...checkpoint }: RejectsState): boolean {
  const { size } = fs.statSync(checkpoint.path);
  const found = hashOf(checkpoint.path, size).digest('hex');
  return [checkpoint, next].some((state) => state?.bytes === size && (state.digest ?? found) === found);
}

/**
 * `kept` is the earlier run's file: rows after its last checkpoint are removed. A file that was changed after the run
 * is kept, and further rows go to a numbered file. Without `kept`, throws usage (2) if the file exists.
 */
export function openRejects(
  path: string,
  kept: RejectsState | undefined,
  warn: (text: string) => void,
  others = kept?.others ?? [],
) {
  if (kept === undefined && fs.existsSync(path)) throw nameTaken(path, REJECTS_TAKEN);
  let descriptor: number | undefined;
  let bytes: number | null = null;
  let hash = createHash('sha256');
  let waiting: string[] = [];
  let waitingBytes = 0;
  if (kept !== undefined) attempt(() => resume(kept));

  function resume(before: RejectsState): void {
    if (!fs.existsSync(path)) {
      if (before.bytes > 0)
        warn(
          `${path} no longer exists. Its rows are missing from the new file, which contains only rows rejected from now on.`,
        );
    } else if (!isUntouched(before)) {
      path = freeName(path);
      others = [...others, before.path];
      warn(`${before.path} was changed after the run, so it is kept. Further rejected rows are written to ${path}.`);
    } else if (before.bytes === 0) fs.rmSync(path);
    else {
      descriptor = openFile('a');
      fs.ftruncateSync(descriptor, before.bytes);
      bytes = before.bytes;
      hash = hashOf(path, bytes);
    }
  }

  function openFile(flags: string): number {
    const opened = fs.openSync(path, flags, PRIVATE);
    fs.fchmodSync(opened, PRIVATE);
    return opened;
  }

  function attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      const cause = systemErrorCode(error) === 'EEXIST' ? new Error('another process created it') : error;
      throw cannotWrite(path, cause, 'Fix this problem, or pass another file: --rejects FILE.');
    }
  }

  const stateOf = (hashed: Hash, size: number) => ({ bytes: (bytes ?? 0) + size, digest: hashed.digest('hex') });

  return {
    path,
    others,
    /** Returns the number of bytes written; null before the first row. */
    get bytes(): number | null {
      return bytes;
    },
    /** True if `sync` should be called before more rows are added. */
    get isFull(): boolean {
      return waitingBytes > MOST_WAITING;
    },
    /** Returns the state for the journal. `next` is the state after the next `sync`. */
    state: (): RejectsState => {
      const next = waiting.length > 0 && { next: stateOf(hash.copy().update(waiting.join('')), waitingBytes) };
      return { path, ...(others.length > 0 && { others }), ...stateOf(hash.copy(), 0), ...next };
    },
    add: (rejects: readonly Reject[]): void => {
      if (rejects.length === 0) return;
      waiting.push(rejects.map(lineOf).join(''));
      waitingBytes += Buffer.byteLength(waiting.at(-1) ?? '');
    },
    /** Writes and flushes the added rows. The journal must already contain the result of `state`. */
    sync: (): void =>
      attempt(() => {
        if (waiting.length === 0) return;
        const file = (descriptor ??= openFile('wx'));
        const lines = waiting.join('');
        try {
          fs.writeFileSync(file, lines);
          fs.fsyncSync(file);
        } catch (error) {
          fs.ftruncateSync(file, bytes ?? 0);
          throw error;
        }
        hash.update(lines);
        bytes = (bytes ?? 0) + waitingBytes;
        [waiting, waitingBytes] = [[], 0];
      }),
    close: (): void => {
      if (descriptor !== undefined) fs.closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

function hashOf(path: string, length: number): Hash {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(Math.min(length, MOST_WAITING));
  const file = fs.openSync(path, 'r');
  try {
    for (let at = 0, read = 1; at < length && read > 0; at += read) {
      read = fs.readSync(file, buffer, 0, Math.min(buffer.length, length - at), at);
      hash.update(buffer.subarray(0, read));
    }
  } finally {
    fs.closeSync(file);
  }
  return hash;
}

/** Returns a hint: how to correct the rows in the rejects file, and the `command` that sends them. */
export async function correctionOf(path: string, shown: string, command: string): Promise<Hint> {
  // The file might be on another machine.
  const lists = fs.existsSync(path) ? linesOf(decoded(fs.createReadStream(path), path)) : [];
  for await (const lines of lists)
    if (lines.some((line) => line.includes('},"record":"')))
      return {
        text: `The rejected rows are in ${shown}. Each \`record\` in it is the text of an input row: correct these rows in a copy of the input, and send the copy.`,
      };
  return { text: `Correct the rejected rows in ${shown}, then send them:`, command };
}

function lineOf({ file, isTableRecord, line, reason, original }: Reject): string {
  const place = JSON.stringify({ file, line, reason });
  // Valid JSON contains line breaks only between tokens.
  const row =
    !isTableRecord && isJson(original)
      ? `"row":${original.replace(/[\r\n]+/g, ' ')}`
      : `"${isTableRecord ? 'record' : 'text'}":${JSON.stringify(original)}`;
  return `{"rejected":${place},${row}}\n`;
}
