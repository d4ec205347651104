// Writes new private files. A file gets its name only once it is complete, and never replaces another file.
import { createHash, type Hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeNewFile } from '../kernel/durable.ts';
import { cannotWrite } from '../kernel/errors.ts';
import { makeFolder, nameOnce, sweepTemporaryFiles, temporaryPath } from '../kernel/temporary-file.ts';

const EXTENSIONS: Record<string, string> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'application/zip': 'zip',
  'application/x-zip-compressed': 'zip',
  'application/gzip': 'gz',
  'text/csv': 'csv',
  'text/plain': 'txt',
};

/** `name` has no extension: `finish` adds one from our list or `.bin`, so the platform cannot choose any other name. */
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
    sink: {
      begin: (headers: Record<string, string>) => {
        contentType = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
        bytes = 0;
        try {
          close();
          makeFolder(folder);
          sweepTemporaryFiles(folder, 'user');
          descriptor = openSync(temporary, 'w', 0o600);
          hash = createHash('sha256');
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
    isEmpty: () => bytes === 0,
    /** Renames the file. Throws usage (2) if the name is taken. */
    finish: () => {
      const file = join(folder, `${name}.${EXTENSIONS[contentType] ?? 'bin'}`);
      try {
        if (descriptor !== undefined) fsyncSync(descriptor);
        close();
        nameOnce(temporary, file, 'Move it elsewhere, or pass another folder: --dir.');
        return { file, bytes, sha256: hash?.digest('hex') ?? '', content_type: contentType };
      } catch (error) {
        throw cannotWrite(file, error);
      } finally {
        rmSync(temporary, { force: true });
      }
    },
    discard: (): void => {
      close();
      if (hash) rmSync(temporary, { force: true });
    },
  };
}

export interface ZipEntry {
  name: string;
  data: Buffer;
}

/** Writes an archive, but never replaces a file. `madeAt` is in milliseconds since the epoch. */
export async function writeZip(path: string, entries: readonly ZipEntry[], madeAt: number): Promise<void> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  for (const { data, name } of entries) zip.addBuffer(data, name, { mtime: new Date(madeAt), mode: 0o100600 });
  zip.end();
  async function* parts(): AsyncGenerator<Buffer> {
    for await (const part of zip.outputStream) yield part as Buffer;
  }
  await writeNewFile(path, parts());
}
