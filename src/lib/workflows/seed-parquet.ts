// Packs the rows of a Parquet file: bodies if its columns are the fields of a body, otherwise rows of a table.
import { cellsOf } from '../domain/csv/record.ts';
import { asText, type Table } from '../domain/seed/table.ts';
import { tableOf, type TableOptions } from '../domain/seed/csv-rows.ts';
import type { RowPacker } from '../domain/seed/packer.ts';
import { inRecordShard, type Shard } from '../domain/seed/shard.ts';
import type { InputBytes } from '../bulk/sources/bytes.ts';
import { openParquet, type ParquetFile } from '../files/parquet.ts';
import { invalidInput } from '../kernel/errors.ts';
import { stringifyJson, tryJson } from '../kernel/json.ts';

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
      else packer.refuseWith(position, wrong, bodyOf(file.columns, cells), table !== undefined);
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
      const write = (out: Buffer): number => writer.write(cells, out);
      if (nulls.clear(cells) && packer.takeWritten(writer.room(cells.bytes.length), position, write)) return;
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
