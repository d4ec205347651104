// Reads a Parquet file row by row, with exact values. Each page is decompressed once, and only the pages of the current
// rows are in memory, so memory use does not grow with the size of the row group.
import { type FileHandle, open } from 'node:fs/promises';
import type { Compressors, FileMetaData, SchemaTree } from 'hyparquet';
import { type KnownError, invalidInput } from '../kernel/errors.ts';
import { sizeText } from '../kernel/words.ts';
import { ColumnChunk } from './parquet-chunk.ts';
import { type ColumnReader, fieldReader } from './parquet-tree.ts';

export type ParquetFile = Awaited<ReturnType<typeof openParquet>>;

/** Returns true if a row group should be read. `firstRow` is its first row, and `endRow` the row after its last. */
export type WantsGroup = (group: number, firstRow: number, endRow: number) => boolean;

export interface ParquetRows {
  /** 0-based across the whole file. */
  firstRow: number;
  /** One value per column for each row. */
  rows: unknown[][];
  /** Cells without an exact value, by index in `rows`. */
  faults: ReadonlyMap<number, readonly CellFault[]>;
}

/** Why a cell has no exact value. */
export interface CellFault {
  /** The column. */
  path: string;
  message: string;
}

const ROWS_AT_ONCE = 500;

/** Limit for the decompressed pages of all columns combined. */
const MOST_HELD_BYTES = 512 * 1024 * 1024;

/** Throws invalid input (9) for a file that is not Parquet, is not supported, or needs more memory than `mostHeld`. */
export async function openParquet(path: string, name: string, mostHeld = MOST_HELD_BYTES) {
  const { parquetMetadataAsync, parquetSchema } = await import('hyparquet');
  const unreadable = (error: unknown): KnownError =>
    invalidInput(
      `${name} cannot be read.`,
      [{ file: name, path: '', message: `is not a readable Parquet file: ${(error as Error).message}` }],
      error instanceof TooLarge ? ADVICE : undefined,
    );

  const handle = await open(path, 'r');
  let metadata: FileMetaData;
  try {
    const { size } = await handle.stat();
    const slice = async (start: number, end = size) => (await readRange(handle, start, end)).buffer as ArrayBuffer;
    metadata = await parquetMetadataAsync({ byteLength: size, slice });
  } catch (error) {
    throw unreadable(error);
  } finally {
    await handle.close();
  }
  const { children } = parquetSchema(metadata);
  return {
    columns: children.map(({ element }) => element.name),
    /** True if a column contains 32-bit floats, which cannot hold ids exactly. */
    isFloat: (index: number): boolean => children[index]?.element.type === 'FLOAT',
    rowCount: Number(metadata.num_rows),
    /** Yields the rows of the requested row groups. Unrequested columns are not read, and their values are null. */
    rows: async function* (wants: WantsGroup, wantsColumn?: (index: number) => boolean) {
      const rowsOf = await open(path, 'r');
      try {
        yield* readRows({ handle: rowsOf, mostHeld }, metadata, children, wants, wantsColumn);
      } catch (error) {
        throw unreadable(error);
      } finally {
        await rowsOf.close();
      }
    },
  };
}

async function* readRows(
  { handle, mostHeld }: { handle: FileHandle; mostHeld: number },
  { row_groups }: FileMetaData,
  columns: readonly SchemaTree[],
  wants: WantsGroup,
  wantsColumn: (index: number) => boolean = () => true,
): AsyncGenerator<ParquetRows> {
  const compressors = await loadCompressors();
  let held = 0;
  const file = {
    read: (start: number, end: number) => readRange(handle, start, end),
    compressors,
    onHeld: (bytes: number) => {
      held += bytes;
      if (held > mostHeld) throw new TooLarge(mostHeld);
    },
  };
  let faults: CellFault[] = [];
  const readers = columns.map((column, index): ColumnReader => {
    if (!wantsColumn(index)) return NOTHING;
    const { name } = column.element;
    try {
      return fieldReader(column, (message) => faults.push({ path: name, message }));
    } catch (error) {
      throw new Error(`its column \`${name}\` has the type ${(error as Error).message}; cast it in the export`);
    }
  });
  const leaves = readers.flatMap((reader) => reader.leaves);

  let firstRow = 0;
  for (const [group, { num_rows, columns: chunks }] of row_groups.entries()) {
    const end = firstRow + Number(num_rows);
    if (wants(group, firstRow, end)) {
      const byPath = new Map(chunks.map(({ meta_data }) => [JSON.stringify(meta_data?.path_in_schema), meta_data]));
      for (const leaf of leaves) {
        const meta = byPath.get(JSON.stringify(leaf.path));
        if (meta === undefined) throw new Error(`a row group has no column ${leaf.path.join('.')}`);
        leaf.chunk = new ColumnChunk(file, leaf, meta);
      }
      for (let row = firstRow; row < end;) {
        let count = Math.min(ROWS_AT_ONCE, end - row);
        for (const { chunk } of leaves) count = Math.min(count, await chunk.load());
        const rows: unknown[][] = [];
        const found = new Map<number, CellFault[]>();
        for (let index = 0; index < count; index++) {
          rows.push(readers.map(({ read }) => read()));
          if (faults.length === 0) continue;
          found.set(index, faults);
          faults = [];
        }
        for (const { chunk } of leaves) chunk.drop(count);
        yield { firstRow: row, rows, faults: found };
        row += count;
      }
      for (const { chunk } of leaves) chunk.close();
    }
    firstRow = end;
  }
}

/** Loads the decompressors; GZIP uses Node's own. None of them writes more bytes than the page header states. */
async function loadCompressors(): Promise<Compressors> {
  const { compressors } = await import('hyparquet-compressors');
  const { decompress } = await import('fzstd');
  const { gunzipSync } = await import('node:zlib');
  return {
    ...compressors,
    GZIP: (bytes, length) => gunzipSync(bytes, { maxOutputLength: length }),
    ZSTD: (bytes, length) => decompress(bytes, new Uint8Array(length)),
  };
}

const NOTHING: ColumnReader = { leaves: [], read: () => null };

class TooLarge extends Error {
  constructor(bytes: number) {
    super(`its pages need more than ${sizeText(bytes)} at once`);
  }
}

const ADVICE =
  'Rewrite the file with smaller pages or row groups, for example `row_group_size=100_000` in pyarrow or `ROW_GROUP_SIZE 100000` in DuckDB.';

async function readRange(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(Math.max(0, end - start));
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}
