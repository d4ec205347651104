// Saves what is downloaded under a name of ours: private from the first byte, whole or not at all, over nothing.
import { createHash, type Hash } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cannotWrite } from '../kernel/file-failure.ts';
import { makeFolder, temporaryPath } from '../kernel/temporary-file.ts';
import { type KnownError, systemErrorCode } from '../kernel/errors.ts';
import { fail } from '../errors/fail.ts';

export interface SavedDownload {
  file: string;
  bytes: number;
  /** Hex. */
  sha256: string;
  content_type: string;
}

const EXTENSIONS: Record<string, string> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'application/zip': 'zip',
  'application/x-zip-compressed': 'zip',
  'application/gzip': 'gz',
  'text/csv': 'csv',
  'text/plain': 'txt',
};

/** `name` without its extension, which the content type gives; both are ours, never the platform's. */
export function openDownload(folder: string, name: string) {
  const temporary = temporaryPath(folder);
  let descriptor: number | undefined;
  let hash: Hash | undefined;
  let bytes = 0;
  let contentType = '';

  function close(): void {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  }

  return {
    /** What the HTTP core feeds. */
    sink: {
      begin: (headers: Record<string, string>) => {
        contentType = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
        hash = createHash('sha256');
        bytes = 0;
        try {
          close();
          makeFolder(folder);
          descriptor = openSync(temporary, 'w', 0o600);
        } catch (error) {
          throw cannotWrite(folder, error);
        }
      },
      write: (chunk: Buffer) => {
        if (descriptor === undefined) return;
        try {
          writeFileSync(descriptor, chunk);
        } catch (error) {
          throw cannotWrite(folder, error);
        }
        hash?.update(chunk);
        bytes += chunk.length;
      },
    },
    /** Gives the file its name. Throws usage (2) when that is taken. */
    finish: (): SavedDownload => {
      const file = join(folder, `${name}.${EXTENSIONS[contentType] ?? 'bin'}`);
      try {
        if (descriptor !== undefined) fsyncSync(descriptor);
        close();
        nameOnce(temporary, file, 'Move it away, or name another folder with --dir.');
        return { file, bytes, sha256: hash?.digest('hex') ?? '', content_type: contentType };
      } catch (error) {
        throw cannotWrite(file, error);
      } finally {
        rmSync(temporary, { force: true });
      }
    },
    /** Leaves nothing behind. */
    discard: (): void => {
      close();
      rmSync(temporary, { force: true });
    },
  };
}

/** Both paths lie in one folder. Throws usage (2) when the name is taken; the temporary file then stays. */
export function nameOnce(temporary: string, path: string, hint?: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    throw systemErrorCode(error) === 'EEXIST' ? nameTaken(path, hint) : error;
  }
  rmSync(temporary, { force: true });
}

/** The refusal to write over a file. */
export function nameTaken(path: string, hint = 'Move it away, or give another name.'): KnownError {
  return fail('usage', {
    message: `${path} is there already and is not replaced.`,
    hint,
  });
}
