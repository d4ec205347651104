// Saves what is downloaded under a name of ours: private from the first byte, whole or not at all, over nothing.
import { createHash, type Hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cannotWrite } from '../kernel/file-failure.ts';
import { makeFolder } from '../kernel/make-folder.ts';
import { temporaryPath } from '../kernel/temporary-file.ts';
import { nameOnce } from './name-once.ts';

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
