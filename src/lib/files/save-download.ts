// Writes new private files. A file gets its name only once it is complete, and never replaces another file.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type OpenFile, openNewFile, writeNewFile } from '../kernel/durable.ts';
import { writing } from '../kernel/errors.ts';
import { makeFolder } from '../kernel/temporary-file.ts';

const EXTENSIONS: Record<string, string> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'application/zip': 'zip',
  'application/x-zip-compressed': 'zip',
  'application/gzip': 'gz',
  'text/csv': 'csv',
  'text/plain': 'txt',
};

/** `name` has no extension: the file gets one from our list or `.bin`, so the platform cannot choose any other name. */
export function openDownload(folder: string, name: string) {
  let path = '';
  let file: OpenFile | undefined;
  let hash = createHash('sha256');
  let bytes = 0;
  let contentType = '';

  return {
    sink: {
      /** Starts the file, or starts it again after a lost response. */
      begin: (headers: Record<string, string>) => {
        contentType = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
        path = join(folder, `${name}.${EXTENSIONS[contentType] ?? 'bin'}`);
        bytes = 0;
        hash = createHash('sha256');
        writing(folder, () => {
          file?.discard();
          makeFolder(folder);
          file = openNewFile(path, 'Move it elsewhere, or pass another folder: --dir.');
        });
      },
      write: (chunk: Buffer) => {
        writing(folder, () => file?.write(chunk));
        hash.update(chunk);
        bytes += chunk.length;
      },
    },
    isEmpty: () => bytes === 0,
    /** Names the file. Throws usage (2) if the name is taken. */
    finish: () => {
      try {
        writing(path, () => file?.finish());
      } finally {
        file?.discard();
      }
      return { file: path, bytes, sha256: hash.digest('hex'), content_type: contentType };
    },
    /** Removes the file, and ignores later writes. */
    discard: (): void => {
      file?.discard();
      file = undefined;
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
