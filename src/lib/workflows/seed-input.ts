// The inputs of a bulk run: the bytes of each input, and the reader that finds its rows, or those of one shard.
import type { Batch } from '../domain/seed/batch.ts';
import type { TableDefaults } from '../domain/seed/body-writer.ts';
import type { ColumnMap, SkippedColumn } from '../domain/seed/columns.ts';
import { createCsvReader, createRecordTable, type CsvOptions } from '../domain/seed/csv-rows.ts';
import { ElementReader, createLineReader, RowTooLong } from '../domain/seed/json-rows.ts';
import type { RowReader } from '../domain/seed/row-bytes.ts';
import { RowPacker } from '../domain/seed/packer.ts';
import type { RowRules } from '../domain/seed/row-rules.ts';
import { LINE_FEED } from '../domain/seed/scan.ts';
import { inByteShard, inRecordShard, type Shard, shardRange } from '../domain/seed/shard.ts';
import { type Mark, NOTHING_COMPLETED } from '../domain/seed/marks.ts';
import type { InputBytes } from '../bulk/sources/bytes.ts';
import { checkParquet, parquetRows } from './seed-parquet.ts';

export interface SeedInput {
  name: string;
  /** The number of bytes to read, if it is known. */
  bytes: number | undefined;
  /** Checks the header of a table, unless the input can be read only once. Throws invalid input (9). */
  check(): Promise<void>;
  /** Packs the rows after `completed`, and yields how many bytes were read. */
  rows(packer: RowPacker, completed: { position: number; offset: number }): AsyncIterable<number>;
}

export interface InputOptions {
  rules: RowRules;
  defaults: TableDefaults;
  map: ColumnMap | undefined;
  shard: Shard | undefined;
  /** Called once for each table, with the columns that are not in the map. */
  onSkippedColumns?: (name: string, columns: readonly SkippedColumn[]) => void;
  /** Called once for each attribute column of a table that contains a null word. */
  onNullWord?: (name: string, column: string, word: string) => void;
}

/**
 * The batches of all inputs after `completed`, in groups as they are read, and how many bytes were read. The caller
 * returns each batch to the packer.
 */
export async function* readBatches(
  inputs: readonly SeedInput[],
  packer: RowPacker,
  completed: Mark = NOTHING_COMPLETED.mark,
): AsyncGenerator<{ batches: Batch[]; bytes: number }> {
  let before = 0;
  for (const [file, input] of inputs.entries()) {
    let bytes = before;
    if (file >= completed.file) {
      const resumed = file === completed.file ? completed : NOTHING_COMPLETED.mark;
      packer.begin(file, resumed.position);
      for await (const read of input.rows(packer, resumed)) {
        bytes = before + read;
        yield { batches: packer.ready.splice(0), bytes };
      }
      packer.flush();
      yield { batches: packer.ready.splice(0), bytes };
    }
    before += input.bytes ?? 0;
  }
}

/** Combines bytes and a reader. */
export function createSeedInput(source: InputBytes, options: InputOptions): SeedInput {
  const { rules } = options;
  const { name, format, wrapping, size } = source;
  const wrapped = wrapping !== 'none' || size === undefined;
  const shard = source.isDivisible ? options.shard : undefined;
  const table = {
    name,
    defaults: options.defaults,
    map: options.map,
    rules,
    onSkippedColumns: (columns: readonly SkippedColumn[]) => options.onSkippedColumns?.(name, columns),
    onNullWord: (column: string, word: string) => options.onNullWord?.(name, column, word),
  };
  const csv = { ...table, dialect: source.dialect, isOurs: (record: number) => inRecordShard(record, shard) };
  const bytes = size === undefined || wrapped ? undefined : size;
  const input = { name, bytes, check: () => Promise.resolve() };
  const useTable = (packer: RowPacker): void => {
    if (options.map) packer.table = createRecordTable(options.map, table);
  };
  const readWith = (createReader: (packer: RowPacker) => RowReader) => (packer: RowPacker) => {
    useTable(packer);
    return feed(source, createReader(packer));
  };
  switch (format) {
    case 'ndjson': {
      if (wrapped) return { ...input, rows: readWith((packer) => createLineReader(packer, { line: 0, offset: -1 })) };
      const range = shardRange(size, shard);
      const label = shard && shard.count > 1 ? `${name}[${shard.index + 1}/${shard.count}]` : name;
      return {
        ...input,
        name: label,
        bytes: range.end - range.start,
        rows: (packer, completed) => {
          useTable(packer);
          return lineRows(source, range, packer, completed);
        },
      };
    }
    case 'json':
      return { ...input, rows: readWith((packer) => new ElementReader(packer)) };
    case 'csv':
      return {
        ...input,
        check: () => checkCsv(source, csv),
        rows: (packer) => feed(source, createCsvReader(packer, csv)),
      };
    case 'parquet': {
      const parquet = { file: source.file, size: size ?? 0, options: table };
      return {
        ...input,
        check: () => checkParquet(parquet),
        rows: (packer, { position }) => parquetRows(parquet, packer, position, shard),
      };
    }
  }
}

/** Reads only the first line. */
async function checkCsv(source: InputBytes, options: CsvOptions): Promise<void> {
  if (source.isOnce) return;
  const unused = new RowPacker({ rows: 1, bytes: 65_536 }, options.rules, () => true);
  const reader = createCsvReader(unused, { ...options, onSkippedColumns: undefined, isOurs: () => false });
  for await (const chunk of source.chunks()) {
    reader.feed(chunk);
    if (chunk.includes(LINE_FEED)) return;
  }
  reader.end();
}

async function* feed(source: InputBytes, reader: RowReader): AsyncGenerator<number> {
  let bytes = 0;
  try {
    for await (const chunk of source.chunks()) {
      bytes += chunk.length;
      reader.feed(chunk);
      yield bytes;
    }
  } catch (error) {
    // The row has already been rejected with a reason.
    if (error instanceof RowTooLong) return;
    throw error;
  }
  reader.end();
}

/** Reads the lines of an uncompressed file, from the end of an earlier run or the first line of the shard. */
async function* lineRows(
  source: InputBytes,
  range: { start: number; end: number },
  packer: RowPacker,
  completed: { position: number; offset: number },
): AsyncGenerator<number> {
  if (completed.position > 0 && completed.offset < 0) throw new Error('lines of a plain file have offsets');
  const resumed = completed.position > 0 ? completed.offset : undefined;
  const cut = inByteShard(range, resumed);
  let reader: RowReader | undefined;
  for await (const chunk of source.chunks(cut.from)) {
    const part = cut.take(chunk);
    if (part !== undefined) {
      reader ??= createLineReader(packer, { line: completed.position, offset: part.offset });
      reader.feed(part.bytes);
      yield part.offset + part.bytes.length - range.start;
    }
    if (cut.isOver) break;
  }
  reader?.end();
}
