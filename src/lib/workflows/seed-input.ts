// The inputs of a bulk run: the bytes of each input, and the reader that finds its rows or a shard's rows.
import type { Batch } from '../domain/seed/batch.ts';
import { RowPacker } from '../domain/seed/packer.ts';
import {
  createCsvReader,
  createRecordTable,
  type CsvOptions,
  tableOf,
  type TableOptions,
} from '../domain/seed/csv-rows.ts';
import { ElementReader, createLineReader } from '../domain/seed/json-rows.ts';
import { LINE_FEED, type RowReader } from '../domain/seed/scan.ts';
import type { RowRules } from '../domain/seed/read-row.ts';
import { inRecordShard, type Shard, shardRange } from '../domain/seed/shard.ts';
import { type Mark, NOTHING_COMPLETED } from '../domain/seed/marks.ts';
import { cellsOf } from '../domain/csv/record.ts';
import { asText, type Table } from '../domain/seed/table.ts';
import type { InputBytes } from '../bulk/sources/bytes.ts';
import { openParquet, type ParquetFile } from '../files/parquet.ts';
import { invalidInput } from '../kernel/errors.ts';
import { stringifyJson, tryJson } from '../kernel/json.ts';

export interface SeedInput {
  name: string;
  bytes: number | undefined;
  /** Checks the header of a table, unless the input can be read only once. Throws invalid input (9). */
  check(): Promise<void>;
  /** Packs the rows after `completed`, and yields the number of bytes read. */
  rows(packer: RowPacker, completed: { position: number; offset: number }): AsyncIterable<number>;
}

export interface InputOptions extends Omit<TableOptions, 'name'> {
  shard: Shard | undefined;
}

export interface SeedInputs {
  inputs: readonly SeedInput[];
  rules: RowRules;
}

/** Yields the batches after `completed`, and the number of bytes read. The caller must recycle each batch. */
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

/** Combines an input's bytes with a reader. */
export function createSeedInput(source: InputBytes, options: InputOptions): SeedInput {
  const { name, format, wrapping, size } = source;
  const shard = source.isDivisible ? options.shard : undefined;
  const table = { ...options, name };
  const csv = { ...table, dialect: source.dialect, isOurs: (record: number) => inRecordShard(record, shard) };
  const bytes = wrapping === 'none' ? size : undefined;
  // Lines in any other input can be found only by reading it from the start.
  const lines = format === 'ndjson' && bytes !== undefined ? shardRange(bytes, shard) : undefined;
  return {
    name: lines && shard && shard.count > 1 ? `${name}[${shard.index + 1}/${shard.count}]` : name,
    bytes: lines ? lines.end - lines.start : bytes,
    check: async () => {
      if (format === 'csv') await checkCsv(source, csv);
      if (format === 'parquet') await checkParquet(source, table);
    },
    rows: (packer, completed) => {
      if (options.map) packer.table = createRecordTable(options.map, table);
      if (lines) return lineRows(source, lines, packer, completed);
      if (format === 'parquet') return parquetRows(source, table, packer, completed.position, shard);
      if (format === 'csv') return feed(source, createCsvReader(packer, csv));
      return feed(
        source,
        format === 'json' ? new ElementReader(packer) : createLineReader(packer, { line: 0, offset: -1 }),
      );
    },
  };
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
  for await (const chunk of source.chunks()) {
    bytes += chunk.length;
    reader.feed(chunk);
    yield bytes;
    if (reader.isOver) return;
  }
  reader.end();
}

/** Reads the lines of an uncompressed file that start in the range, from where an earlier run stopped. */
async function* lineRows(
  source: InputBytes,
  range: { start: number; end: number },
  packer: RowPacker,
  { offset, position }: { position: number; offset: number },
): AsyncGenerator<number> {
  const isKnown = position > 0 && offset >= 0;
  let at = isKnown ? offset : await lineStart(source, range.start);
  const end = await lineStart(source, range.end);
  const reader = createLineReader(packer, { line: isKnown ? position : 0, offset: at });
  for await (const chunk of source.chunks(at, end)) {
    reader.feed(chunk);
    at += chunk.length;
    yield at - range.start;
  }
  reader.end();
}

/** Returns the offset of the first line that starts at or after `offset`. */
async function lineStart({ chunks, size }: InputBytes, offset: number): Promise<number> {
  if (offset === 0 || offset === size) return offset;
  // The byte before the offset shows whether a line starts at the offset.
  let at = offset - 1;
  for await (const chunk of chunks(at)) {
    const feed = chunk.indexOf(LINE_FEED);
    if (feed >= 0) return at + feed + 1;
    at += chunk.length;
  }
  return at;
}

/** Throws invalid input (9) if the file, or the columns of a table, cannot be used. */
export async function checkParquet(source: InputBytes, options: TableOptions): Promise<void> {
  const file = await openParquet(await source.file(), options.name);
  tableIn(file, { ...options, onSkippedColumns: undefined });
}

/** Packs the row groups that end after `completed`. Yields the approximate number of bytes up to their end. */
export async function* parquetRows(
  source: InputBytes,
  options: TableOptions,
  packer: RowPacker,
  completed: number,
  shard: Shard | undefined,
): AsyncGenerator<number> {
  const file = await openParquet(await source.file(), options.name);
  const table = tableIn(file, options);
  const take = table === undefined ? bodySink(packer, file.columns) : cellsSink(packer, table);
  const stretches = file.rows(
    (group, _first, end) => end > completed && inRecordShard(group, shard, 1),
    (column) => table === undefined || table.columns[column] !== undefined,
  );
  for await (const { firstRow, rows, faults } of stretches) {
    await source.verify();
    for (const [index, cells] of rows.entries()) {
      const position = firstRow + index + 1;
      const wrong = faults.get(index);
      if (wrong === undefined) take(cells, position);
      else packer.rejectWith(position, wrong, bodyOf(file.columns, cells), table !== undefined);
    }
    yield ((source.size ?? 0) * (firstRow + rows.length)) / file.rowCount;
  }
}

/** Throws invalid input (9) for a table that cannot be used, or for ids that are rounded. */
function tableIn({ columns, isFloat }: ParquetFile, options: TableOptions): Table | undefined {
  const isBodies = options.map === undefined && columns.includes('calculated_attributes');
  const table = isBodies ? undefined : tableOf(columns, options);
  const { toWire } = options.rules.names;
  const isId = (name: string, index: number): boolean =>
    table ? ['xpid', 'identity'].includes(table.columns[index]?.kind ?? '') : name === toWire('xpid');
  const path = columns.find((name, index) => isFloat(index) && isId(name, index));
  if (path === undefined) return table;
  const message = 'is a column of 32-bit floating-point numbers, which cannot hold ids; export it as integers or text';
  throw invalidInput(`${options.name} cannot be used.`, [{ file: options.name, path, message }]);
}

type Take = (cells: readonly unknown[], position: number) => void;

/** Adds table rows: as bytes if every cell is clearly valid, otherwise after the exact check. */
function cellsSink(packer: RowPacker, { value, writer, issue, nulls }: Table): Take {
  return (values, position) => {
    const texts = values.map(plainText);
    if (writer !== undefined && !texts.includes(undefined)) {
      const cells = cellsOf(texts as string[]);
      if (nulls.clear(cells) && packer.takeCells(writer, cells, cells.bytes.length, position)) return;
    }
    const found = nulls.cleared(values);
    packer.takeValue(value(found), position, (one) => issue(one, found));
  };
}

/** Returns the cell as CSV text; undefined if CSV cannot represent it, or if the value may have been rounded. */
function plainText(value: unknown): string | undefined {
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return undefined;
  const text = asText(value ?? '');
  return typeof text === 'string' ? text : undefined;
}

function bodySink(packer: RowPacker, columns: readonly string[]): Take {
  return (cells, position) => {
    const bytes = Buffer.from(bodyOf(columns, cells));
    packer.takeJson(bytes, 0, bytes.length, position);
  };
}

/** Returns the row as JSON. Omits null fields, because a column cannot express absence in any other way. */
function bodyOf(columns: readonly string[], cells: readonly unknown[]): string {
  const fields = columns.flatMap((name, index) => {
    const cell = fieldOf(name, cells[index]);
    return cell === null ? [] : [`${JSON.stringify(name)}:${stringifyJson(cell)}`];
  });
  return `{${fields.join(',')}}`;
}

/** Warehouses without nested types export nested values as JSON strings. */
function fieldOf(name: string, cell: unknown): unknown {
  if (typeof cell !== 'string' || name === 'environment' || !cell.startsWith('{')) return cell;
  return tryJson(cell) ?? cell;
}
