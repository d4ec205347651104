// Writes a zip archive to a new private file.
import { writeNewFile } from './save-download.ts';

export interface ZipEntry {
  name: string;
  data: Buffer;
}

/** Never replaces a file. `madeAt` is in milliseconds since the epoch. */
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
