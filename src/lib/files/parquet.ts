// Reads a Parquet file row group by row group, with 64-bit integers exact.
import { open } from 'node:fs/promises';
import { invalidInput } from '../kernel/errors.ts';

export interface ParquetFile {
  columns: string[];
  /** The rows of each wanted row group; `firstRow` counts from 0 through the whole file. */
  rows(
    wants: (group: number) => boolean,
  ): AsyncGenerator<{ group: number; firstRow: number; rows: Record<string, unknown>[] }>;
}

/** Rows that are in memory at once. */
const ROWS_AT_ONCE = 10_000;

/** Throws invalid input (9) for what is no Parquet file, or uses what cannot be read. */
export async function openParquet(path: string, name: string): Promise<ParquetFile> {
  const [{ parquetMetadataAsync, parquetReadObjects, parquetSchema }, { compressors }] = await Promise.all([
    import('hyparquet'),
    import('hyparquet-compressors'),
  ]);
  const handle = await open(path, 'r');
  const { size } = await handle.stat();
  const file = {
    byteLength: size,
    slice: async (start: number, end = size): Promise<ArrayBuffer> => {
      const bytes = new Uint8Array(end - start);
      await handle.read(bytes, 0, bytes.length, start);
      return bytes.buffer;
    },
  };
  const unreadable = (error: unknown) =>
    invalidInput(`${name} cannot be read.`, [
      { file: name, path: '', message: `is no readable Parquet: ${(error as Error).message}` },
    ]);
  try {
    const metadata = await parquetMetadataAsync(file);
    const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
    return {
      columns,
      rows: async function* (wants) {
        let firstRow = 0;
        try {
          for (const [group, { num_rows }] of metadata.row_groups.entries()) {
            const end = firstRow + Number(num_rows);
            for (let start = firstRow; wants(group) && start < end; start += ROWS_AT_ONCE) {
              const rowEnd = Math.min(end, start + ROWS_AT_ONCE);
              const rows = await parquetReadObjects({ file, metadata, compressors, rowStart: start, rowEnd });
              yield { group, firstRow: start, rows };
            }
            firstRow = end;
          }
        } catch (error) {
          throw unreadable(error);
        } finally {
          await handle.close();
        }
      },
    };
  } catch (error) {
    await handle.close();
    throw unreadable(error);
  }
}
