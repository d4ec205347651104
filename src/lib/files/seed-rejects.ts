// The rejects file: private NDJSON. Each line contains a row with its position and reason, and can be sent again.
import * as fs from 'node:fs';
import { systemErrorCode, usageError } from '../kernel/errors.ts';
import { cannotWrite } from '../kernel/file-failure.ts';
import { isJson } from '../kernel/json.ts';

export interface Reject {
  file: string;
  /** Line where the row starts, or the row's number if the format has no lines (Parquet). */
  line: number;
  reason: string;
  /** The row as it was read. */
  original: string;
}

export type RejectsFile = ReturnType<typeof openRejects>;

const PRIVATE = 0o600;

/** `keep` is the number of bytes to keep of an earlier run's file; without it, an existing file causes usage (2). */
export function openRejects(path: string, keep: number | undefined) {
  if (keep === undefined) refuseTaken(path);
  let descriptor: number | undefined;
  let bytes: number | null = null;
  if (keep !== undefined && fs.existsSync(path)) {
    attempt(() => {
      if (keep === 0) fs.rmSync(path);
      else {
        descriptor = openFile('a');
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
      const cause = systemErrorCode(error) === 'EEXIST' ? new Error('another process created it') : error;
      throw cannotWrite(path, cause, 'Fix that, then continue with --resume.');
    }
  }

  return {
    path,
    /** Returns the number of bytes written; null before the first row. */
    get bytes(): number | null {
      return bytes;
    },
    add: (rejects: readonly Reject[]): void => {
      if (rejects.length === 0) return;
      attempt(() => {
        const file = (descriptor ??= openFile('wx'));
        const lines = Buffer.from(rejects.map(lineOf).join(''));
        fs.writeFileSync(file, lines);
        bytes = (bytes ?? 0) + lines.length;
      });
    },
    /** Flushes the file: all rows are on disk when it returns. */
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

/** Throws usage (2) if the file exists. */
export function refuseTaken(path: string): void {
  if (!fs.existsSync(path)) return;
  throw usageError(
    `${path} already exists; it contains the rejected rows of another run.`,
    'Move it elsewhere, or pass another file: --rejects FILE.',
  );
}

function lineOf({ file, line, reason, original }: Reject): string {
  const place = JSON.stringify({ file, line, reason });
  // Valid JSON contains line breaks only between tokens.
  const row = isJson(original) ? `"row":${original.replace(/[\r\n]+/g, ' ')}` : `"text":${JSON.stringify(original)}`;
  return `{"rejected":${place},${row}}\n`;
}
