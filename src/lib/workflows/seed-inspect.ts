// Reads exports of unknown origin, and suggests a map and a `--source` for them. Sends nothing.
import { openTable } from '../bulk/rows.ts';
import type { InputBytes, Inputs } from '../bulk/sources/bytes.ts';
import type { SourceName } from '../domain/csv/dialect.ts';
import { createRowKeys } from '../kernel/row-keys.ts';
import { createNullWords } from '../domain/null-words.ts';
import { fieldLike } from '../domain/seed/columns.ts';
import { openParquet } from '../files/parquet.ts';
import { invalidInput } from '../kernel/errors.ts';
import { isRecord, stringifyJson } from '../kernel/json.ts';

/** `field`: what the name suggests. `floats`: ids such as `123.0`, or perhaps rounded. `nulls`: rows per null word. */
const newColumn = (column: string) => {
  const nulls: Record<string, number> = {};
  return { column, field: fieldLike(column.trim()) ?? null, empty: 0, floats: 0, nulls };
};

export type Inspection = Awaited<ReturnType<typeof inspectSeeds>>;

/** A longer name is not a column name, and would flood the report. */
const MAX_NAME = 1_000;
const FLOAT = /^-?\d+\.0$/;
const hasLongName = (names: readonly string[]): boolean => names.some(({ length }) => length > MAX_NAME);

/**
 * Reads every row. Memory use grows by a few dozen bytes per identity. Throws invalid input (9) for unreadable input.
 * `source` is null if no program can be inferred. `row_groups` is null for formats without row groups. `bodies` counts
 * rows that need no map, and `duplicates` counts rows whose identity occurs in an earlier row.
 */
export async function inspectSeeds(inputs: Inputs, signal: AbortSignal) {
  const columns = new Map<string, ReturnType<typeof newColumn>>();
  const keys = createRowKeys();
  const duplicates = new Map<string, number>();
  const nulls = createNullWords(['NaT', '<NA>', 'N/A']);
  const clues = {
    names: inputs.map(({ name }) => name),
    delimiters: new Set<string>(),
    ...{ unnamed: false, floats: false, nan: false, localNumbers: false, textNumbers: false, headerless: false },
  };
  let bodies = 0;

  function identity(field: string, value: unknown): void {
    if (value === undefined || value === null || value === '') return;
    const text = typeof value === 'string' ? value : stringifyJson(value);
    if (keys.add(`${field}=${text}`, 1) !== undefined) duplicates.set(field, (duplicates.get(field) ?? 0) + 1);
  }

  function take(name: string, value: unknown): void {
    let column = columns.get(name);
    if (!column) columns.set(name, (column = newColumn(name)));
    const text = typeof value === 'string' ? value : undefined;
    if (value === undefined || value === null || text === '') column.empty++;
    else if (text !== undefined && (nulls.isNull(text) || nulls.isSuspect(text)))
      column.nulls[text] = (column.nulls[text] ?? 0) + 1;
    else if (column.field === 'xpid' || column.field?.startsWith('identity:')) {
      identity(column.field, value);
      if (text === undefined ? typeof value === 'number' && !Number.isSafeInteger(value) : FLOAT.test(text))
        column.floats++;
    }
    if (text === undefined) return;
    clues.floats ||= FLOAT.test(text);
    clues.nan ||= /^(NaN|nan|NaT|<NA>)$/.test(text);
    clues.localNumbers ||= /^-?\d[\d.]*,\d+$/.test(text);
    clues.textNumbers ||= /^\d{10,19}$/.test(text);
  }

  function takeRecord(body: Record<string, unknown>): void {
    if (!('calculated_attributes' in body)) {
      for (const [column, value] of Object.entries(body)) take(column, value);
      return;
    }
    bodies++;
    identity('xpid', body['xpid']);
    const identities = body['identities'];
    if (isRecord(identities))
      for (const [type, value] of Object.entries(identities)) identity(`identity:${type}`, value);
  }

  async function inspect(input: InputBytes) {
    const { format, name: file, wrapping: compression } = input;
    let rows = 0;
    let unreadable = 0;
    let problem: string | null = null;
    const groups: number[] = [];
    const found = () => ({ file, format, compression, rows, unreadable, problem });
    if (format === 'parquet') {
      const parquet = await openParquet(await input.file(), file);
      const parts = parquet.rows((_group, first, end) => groups.push(end - first) > 0);
      for await (const part of parts) {
        signal.throwIfAborted();
        rows += part.rows.length;
        unreadable += part.faults.size;
        for (const [index, [fault]] of part.faults)
          problem ??= fault ? `row ${part.firstRow + index + 1}: ${fault.path}: ${fault.message}` : null;
        for (const row of part.rows)
          takeRecord(Object.fromEntries(parquet.columns.map((column, index) => [column, row[index]])));
      }
      return { ...found(), row_groups: groups as number[] | null };
    }
    const { heading, rows: records } = await openTable([input], signal);
    const header = heading.columns?.map(({ text }) => text) ?? [];
    const message = `has a column name of more than ${MAX_NAME} characters`;
    if (hasLongName(header)) throw invalidInput(`${file} cannot be read.`, [{ file, path: '', line: 1, message }]);
    if (heading.columns) clues.delimiters.add(heading.delimiter);
    clues.unnamed ||= header.includes('');
    clues.headerless ||= header.some((text) => /^-?\d+([.,]\d+)?$/.test(text));
    for await (const group of records) {
      for (const { content, locate } of group) {
        rows++;
        if ('cells' in content) for (const [index, column] of header.entries()) take(column, content.cells[index]);
        else if ('value' in content && isRecord(content.value) && !hasLongName(Object.keys(content.value)))
          takeRecord(content.value);
        else {
          unreadable++;
          if ('fault' in content) problem ??= `line ${locate({ column: 0 }).line}: ${content.fault}`;
        }
      }
    }
    return { ...found(), row_groups: null };
  }

  const files: Awaited<ReturnType<typeof inspect>>[] = [];
  for (const input of inputs) files.push(await inspect(input));
  const { headerless } = clues;
  const found = headerless ? [] : [...columns.values()];
  const mapped = found.flatMap(({ column, field }) => (field === null ? [] : [[column, field] as const]));
  return {
    files,
    source: sourceOf(clues, columns),
    headerless,
    bodies,
    columns: found,
    duplicates: headerless ? [] : [...duplicates].map(([field, rows]) => ({ field, rows })),
    // Columns in the table grammar do not need a map.
    map: mapped.every(([column, field]) => column.trim() === field) ? {} : Object.fromEntries(mapped),
  };
}

/** Returns the program that probably wrote the inputs. */
function sourceOf(
  { delimiters, names, ...clues }: { delimiters: Set<string>; names: string[] } & Record<string, unknown>,
  columns: ReadonlyMap<string, { nulls: object }>,
): SourceName | null {
  const hasName = (pattern: RegExp): boolean => names.some((name) => pattern.test(name));
  const hasNull = [...columns.values()].some(({ nulls }) => '\\N' in nulls);
  if (delimiters.has('|')) return 'redshift';
  if (hasName(/(^|[/\\])data_\d+_\d+_\d+\.csv/) || (hasNull && delimiters.has(','))) return 'snowflake';
  if (hasName(/(^|[/\\])part-\d{5}-/)) return 'spark';
  if (hasName(/-?\d{12}\.(json|csv|avro|parquet)/)) return 'bigquery';
  if (delimiters.has(';') && clues.localNumbers) return 'excel';
  if (delimiters.size > 0 && (clues.nan || clues.floats || clues.unnamed)) return 'pandas';
  return delimiters.size === 0 && clues.textNumbers ? 'bigquery' : null;
}
