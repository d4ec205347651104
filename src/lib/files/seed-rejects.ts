// The file of refused rows: private, NDJSON, each with its place, its reason and itself, so that it can be fed back.
import * as fs from 'node:fs';
import { type KnownError, systemErrorCode, usageError } from '../kernel/errors.ts';
import { cannotWrite } from '../kernel/file-failure.ts';

export interface Reject {
  file: string;
  /** On which it begins; its number where the file has no lines (Parquet). */
  line: number;
  reason: string;
  /** The row as it was read: JSON as it stood, or the text of what was none. */
  original: string;
}

export type RejectsFile = ReturnType<typeof openRejects>;

const PRIVATE = 0o600;

/**
 * Opens the file at its first row. `keep` is how much of an earlier run's file stays, none of it when that is 0; without
 * it a file that is already there is refused (usage, 2) before anything is sent.
 */
export function openRejects(path: string, keep: number | undefined) {
  if (keep === undefined) refuseTaken(path);
  let descriptor: number | undefined;
  let bytes: number | null = null;
  if (keep !== undefined && fs.existsSync(path)) {
    attempt(() => {
      if (keep === 0) fs.rmSync(path);
      else {
        descriptor = openFile('r+');
        fs.ftruncateSync(descriptor, keep);
        bytes = keep;
      }
    });
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
      throw notWritten(path, error);
    }
  }

  return {
    path,
    /** Bytes written so far; null before the first row. */
    get bytes(): number | null {
      return bytes;
    },
    add: (rejects: readonly Reject[]): void => {
      if (rejects.length === 0) return;
      attempt(() => {
        const file = (descriptor ??= openFile('wx'));
        let at = bytes ?? 0;
        // A disk that is nearly full takes a part, and says so by the number alone.
        for (let rest: Buffer = Buffer.from(rejects.map(lineOf).join('')); rest.length > 0;) {
          const written = fs.writeSync(file, rest, 0, rest.length, at);
          rest = rest.subarray(written);
          at += written;
        }
        bytes = at;
      });
    },
    /** Brings what was added to the disk. */
    sync: (): void =>
      attempt(() => {
        if (descriptor !== undefined) fs.fsyncSync(descriptor);
      }),
    close: (): void => {
      if (descriptor !== undefined) fs.closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

/** Throws usage (2) where a file is already. */
export function refuseTaken(path: string): void {
  if (!fs.existsSync(path)) return;
  throw usageError(
    `${path} is there already; it holds the refused rows of another run.`,
    'Move it away, or name another file with --rejects FILE.',
  );
}

function lineOf({ file, line, reason, original }: Reject): string {
  const place = JSON.stringify({ file, line, reason });
  return `{"rejected":${place},${isJson(original) ? `"row":${oneLine(original)}` : `"text":${JSON.stringify(original)}`}}\n`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Line breaks of JSON stand between its tokens only. */
function oneLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ');
}

function notWritten(path: string, error: unknown): KnownError {
  const isTaken = systemErrorCode(error) === 'EEXIST';
  const cause = isTaken ? new Error('a file came to stand there meanwhile') : error;
  return cannotWrite(path, cause, 'Mend that, then go on with --resume.');
}
