// Rows of data subject requests from CSV, NDJSON or JSON: each with its number, its place and its cells or its body.
import { holdsEachKey } from '../kernel/json-keys.ts';
import { JsonError, parseJson } from '../kernel/json.ts';
import { separatorOf } from '../kernel/csv-separator.ts';
import { ownTurn } from '../kernel/clock.ts';
import { type CliError, invalidInput } from '../kernel/errors.ts';
import { type Cell, createCsvReader } from './csv-cells.ts';
import { readJson } from './json-document.ts';
import { parseDocumentText } from './load.ts';
import type { ValuePath } from './reading.ts';
import { openText } from './text-chunks.ts';

/** One row. `locate` finds line and column of what is wrong in it. */
export interface DsrRow {
  /** From 1; headings and empty lines do not count. */
  number: number;
  /** By column, for CSV; the value itself for JSON; or why there is nothing to be had. */
  content: { cells: readonly string[] } | { value: unknown } | { fault: string };
  locate(where: { column: number } | { path: ValuePath; at?: 'key' }): { line: number; column: number };
}

/** What comes before the first row. */
export interface DsrHeading {
  /** Column names of a CSV, as they stand; undefined for JSON. */
  columns: readonly Cell[] | undefined;
  delimiter: string;
}

export interface DsrTable {
  heading: DsrHeading;
  /** In groups, as the file is read. Throws invalid input (9) where no further row can be made out. */
  rows: AsyncIterable<DsrRow[]>;
  /** SHA-256 over the file; complete when the rows are. */
  digest(): string;
}

/** A file to be read once more each time, or bytes that came in by standard input. */
export type RowSource = { path: string } | { bytes: Uint8Array };

/**
 * `.ndjson`, `.jsonl` and `.json` by their names; every other file is CSV. Bytes are taken for what they look like. Reading
 * the rows ends with the reason of an aborted `signal`.
 */
export async function openDsrTable(source: RowSource, name: string, signal?: AbortSignal): Promise<DsrTable> {
  const table = await openTable(source, name);
  return { ...table, rows: inTurns(table.rows, signal) };
}

async function* inTurns<T>(groups: AsyncIterable<T>, signal?: AbortSignal): AsyncGenerator<T> {
  for await (const group of groups) {
    yield group;
    await ownTurn(signal);
  }
}

async function openTable(source: RowSource, name: string): Promise<DsrTable> {
  const from = 'path' in source ? source.path : source.bytes;
  switch ('path' in source ? formatByName(source.path) : formatByLook(source.bytes)) {
    case 'ndjson':
      return ndjsonTable(from, name);
    case 'json':
      return jsonTable(from, name);
    case 'csv':
      return await csvTable(from, name);
  }
}

type RowFormat = 'csv' | 'ndjson' | 'json';

function formatByName(path: string): RowFormat {
  if (/\.(ndjson|jsonl)$/i.test(path)) return 'ndjson';
  return /\.json$/i.test(path) ? 'json' : 'csv';
}

const LOOK_BYTES = 64 * 1024;

/** A first line that is an object by itself is a line of NDJSON; an object or a list that goes on is JSON. */
function formatByLook(bytes: Uint8Array): RowFormat {
  const text = new TextDecoder('utf-8').decode(bytes.subarray(0, LOOK_BYTES)).trimStart();
  if (!/^[[{]/.test(text)) return 'csv';
  try {
    parseJson(text.split('\n', 1)[0] ?? '');
    return text.startsWith('{') ? 'ndjson' : 'json';
  } catch {
    return 'json';
  }
}

async function csvTable(source: string | Uint8Array, name: string): Promise<DsrTable> {
  const text = openText(source, name);
  const chunks = text.chunks[Symbol.asyncIterator]();
  let first = '';
  let ended = false;
  while (!ended && !first.includes('\n')) {
    const next = await chunks.next();
    if (next.done === true) ended = true;
    else first += next.value;
  }
  const delimiter = separatorOf(first.split('\n', 1)[0] ?? '');
  const reader = createCsvReader(delimiter);
  const records = reader.push(first);
  // Column names may hold line feeds, too.
  while (records.length === 0 && !reader.fault && !ended) {
    const next = await chunks.next();
    if (next.done === true) ended = true;
    else records.push(...reader.push(next.value));
  }
  if (records.length === 0) records.push(...reader.end());
  const columns = records.shift();
  if (reader.fault) throw unreadable(name, reader.fault);
  if (!columns)
    throw unreadable(name, { line: 1, column: 1, message: 'the file is empty; a line of column names comes first' });
  const width = columns.length;
  let number = 0;

  function toRow(record: Cell[]): DsrRow {
    const [start] = record;
    const odd = record.length === width ? undefined : (record[width] ?? record.at(-1));
    return {
      number: ++number,
      content: odd
        ? {
            fault: `this line has ${record.length} ${record.length === 1 ? 'cell' : 'cells'}; the headings are ${width}`,
          }
        : { cells: record.map((cell) => cell.text) },
      locate: (where) => {
        const cell = odd ?? ('column' in where ? record[where.column] : start);
        return { line: cell?.line ?? 1, column: cell?.column ?? 1 };
      },
    };
  }

  async function* rows(): AsyncGenerator<DsrRow[]> {
    yield records.map(toRow);
    for (;;) {
      const next = await chunks.next();
      if (next.done === true) break;
      const found = reader.push(next.value).map(toRow);
      if (reader.fault) throw unreadable(name, reader.fault);
      if (found.length > 0) yield found;
    }
    const last = reader.end().map(toRow);
    if (reader.fault) throw unreadable(name, reader.fault);
    yield last;
  }
  return { heading: { columns, delimiter }, rows: rows(), digest: text.digest };
}

function ndjsonTable(source: string | Uint8Array, name: string): DsrTable {
  const text = openText(source, name);
  let number = 0;
  let line = 0;

  function toRow(source: string): DsrRow[] {
    line++;
    if (source.trim() === '') return [];
    const at = line;
    try {
      const value = parseJson(source);
      // A row is about a person: of an identity that stands twice the wrong one might be taken.
      const [twice] = holdsEachKey(value, source) ? [] : readJson(source).problems;
      if (twice) throw new JsonError(twice.message, twice.offset);
      const locate: DsrRow['locate'] = (where) => {
        const offset = 'path' in where ? readJson(source).offsetOf(where.path, where.at) : 0;
        return { line: at, column: offset + 1 };
      };
      return [{ number: ++number, content: { value }, locate }];
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      const column = (error.offset ?? 0) + 1;
      return [{ number: ++number, content: { fault: error.message }, locate: () => ({ line: at, column }) }];
    }
  }

  async function* rows(): AsyncGenerator<DsrRow[]> {
    let rest = '';
    for await (const chunk of text.chunks) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      yield lines.flatMap(toRow);
    }
    yield toRow(rest);
  }
  return { heading: { columns: undefined, delimiter: ',' }, rows: rows(), digest: text.digest };
}

function jsonTable(source: string | Uint8Array, name: string): DsrTable {
  const text = openText(source, name);
  async function* rows(): AsyncGenerator<DsrRow[]> {
    const pieces: string[] = [];
    for await (const chunk of text.chunks) pieces.push(chunk);
    const document = await parseDocumentText(name, pieces.join(''), 'json');
    const list = Array.isArray(document.value) ? (document.value as unknown[]) : undefined;
    yield (list ?? [document.value]).map((value, index) => ({
      number: index + 1,
      content: { value },
      locate: (where) => {
        const inside = 'path' in where ? where.path : [];
        return document.locate(list ? [index, ...inside] : inside, 'path' in where ? where.at : undefined);
      },
    }));
  }
  return { heading: { columns: undefined, delimiter: ',' }, rows: rows(), digest: text.digest };
}

function unreadable(file: string, fault: { line: number; column: number; message: string }): CliError {
  return invalidInput(`${file} cannot be read.`, [{ file, path: '', ...fault }]);
}
