// Reads a Parquet file row group by row group, with exact values.
import { open } from 'node:fs/promises';
import { invalidInput } from '../kernel/errors.ts';
import { type CellFault, createExactValues } from './parquet-values.ts';

export interface ParquetFile {
  columns: string[];
  rowCount: number;
  /** The rows of each wanted row group; `firstRow` counts from 0 through the whole file. */
  rows(wants: (group: number) => boolean): AsyncGenerator<ParquetRows>;
}

export interface ParquetRows {
  group: number;
  firstRow: number;
  rows: Record<string, unknown>[];
  /** By index in `rows`: the cells that have no exact value. */
  faults: ReadonlyMap<number, readonly CellFault[]>;
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
    const schema = parquetSchema(metadata);
    const columns = schema.children.map(({ element }) => element.name);
    const exact = createExactValues(metadata, schema);
    const options = { file, metadata: exact.metadata, parsers: exact.parsers, compressors, utf8: false };
    return {
      columns,
      rowCount: Number(metadata.num_rows),
      rows: async function* (wants) {
        let firstRow = 0;
        try {
          for (const [group, { num_rows }] of metadata.row_groups.entries()) {
            const end = firstRow + Number(num_rows);
            for (let start = firstRow; wants(group) && start < end; start += ROWS_AT_ONCE) {
              const rowEnd = Math.min(end, start + ROWS_AT_ONCE);
              const rows = await parquetReadObjects({ ...options, rowStart: start, rowEnd });
              yield { group, firstRow: start, rows, faults: exact.convert(rows) };
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
