// Rows of an input, CSV, NDJSON or JSON: each with its number, its place and its cells or its value.
import { createHash } from 'node:crypto';
import { CsvFeed } from '../domain/csv/feed.ts';
import { textsOf } from '../domain/csv/record.ts';
import { notText } from '../files/encoding.ts';
import type { InputBytes } from '../files/input-bytes.ts';
import { readJson } from '../files/json-document.ts';
import { parseDocumentText } from '../files/load.ts';
import type { ValuePath } from '../files/reading.ts';
import { decoded, linesOf } from '../files/text-chunks.ts';
import { ownTurn } from '../kernel/clock.ts';
import { type KnownError, invalidInput, usageError } from '../kernel/errors.ts';
import { holdsEachKey } from '../kernel/json-keys.ts';
import { JsonError, parseJson } from '../kernel/json.ts';
import { type Place, placeAt } from '../kernel/text-place.ts';

/** One row. `locate` finds line and column of what is wrong in it. */
export interface Row {
  /** From 1; headings and empty lines do not count. */
  number: number;
  /** By column, for CSV; the value itself for JSON; or why there is nothing to be had. */
  content: { cells: readonly string[] } | { value: unknown } | { fault: string };
  locate(where: { column: number } | { path: ValuePath; at?: 'key' }): Place;
}

export interface Column extends Place {
  text: string;
}

/** What comes before the first row. */
export interface Heading {
  /** Column names of a CSV, as they stand; undefined for JSON. */
  columns: readonly Column[] | undefined;
  delimiter: string;
}

export interface RowTable {
  heading: Heading;
  /** In groups, as the file is read. Throws invalid input (9) where no further row can be made out. */
  rows: AsyncIterable<Row[]>;
  /** Hex of the SHA-256 over the unwrapped bytes; complete when the rows are. */
  digest(): string;
}

/** Reads the rows of an input; reading ends with the reason of an aborted `signal`. Throws usage (2) for Parquet. */
export async function openTable(source: InputBytes, signal?: AbortSignal): Promise<RowTable> {
  const hash = createHash('sha256');
  let digest: string | undefined;
  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const chunk of source.chunks()) {
      hash.update(chunk);
      yield chunk;
    }
  }
  const { heading, rows } = await tableOf(source, hashed());
  return { heading, rows: inTurns(rows, signal), digest: () => (digest ??= hash.digest('hex')) };
}

type Opened = Pick<RowTable, 'heading' | 'rows'>;

const NO_COLUMNS: Heading = { columns: undefined, delimiter: ',' };

async function tableOf({ format, name }: InputBytes, chunks: AsyncIterable<Buffer>): Promise<Opened> {
  switch (format) {
    case 'csv':
      return await csvTable(chunks, name);
    case 'ndjson':
      return { heading: NO_COLUMNS, rows: lineRows(decoded(chunks, name)) };
    case 'json':
      return { heading: NO_COLUMNS, rows: elementRows(decoded(chunks, name), name) };
    case 'parquet':
      throw usageError(`${name} is Parquet.`, 'Give the requests as CSV, NDJSON or JSON.');
  }
}

async function* inTurns<T>(groups: AsyncIterable<T>, signal?: AbortSignal): AsyncGenerator<T> {
  for await (const group of groups) {
    yield group;
    await ownTurn(signal);
  }
}

/** A record that was read: its cells, and what it looks like for the places of these. */
interface CsvLine {
  cells: string[];
  line: number;
  source: string;
}

async function csvTable(chunks: AsyncIterable<Buffer>, name: string): Promise<Opened> {
  const groups = csvLines(chunks, name);
  const found: CsvLine[] = [];
  let delimiter = ',';
  for (let next = await groups.next(); ; next = await groups.next()) {
    if (next.done === true) break;
    ({ delimiter } = next.value);
    found.push(...next.value.lines);
    if (found.length > 0) break;
  }
  const header = found.shift();
  if (header === undefined) throw empty(name);
  const width = header.cells.length;
  const placeOf = (line: CsvLine, column: number): Place => {
    const { column: at, line: below } = placeAt(line.source, startOf(line.source, column, delimiter));
    return { line: line.line + below - 1, column: at };
  };
  let number = 0;

  function toRow(line: CsvLine): Row {
    const count = line.cells.length;
    const fault = `this line has ${count} ${count === 1 ? 'cell' : 'cells'}; the headings are ${width}`;
    const odd = count === width ? undefined : Math.min(width, count - 1);
    return {
      number: ++number,
      content: odd === undefined ? { cells: line.cells } : { fault },
      locate: (where) => placeOf(line, odd ?? ('column' in where ? where.column : 0)),
    };
  }

  async function* rows(): AsyncGenerator<Row[]> {
    yield found.map(toRow);
    for await (const { lines } of groups) yield lines.map(toRow);
  }
  const columns = header.cells.map((text, column) => ({ text, ...placeOf(header, column) }));
  return { heading: { columns, delimiter }, rows: rows() };
}

/** The records of each chunk. Throws invalid input (9) for what is no CSV, after those before it. */
async function* csvLines(
  chunks: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<{ lines: CsvLine[]; delimiter: string }> {
  let lines: CsvLine[] = [];
  let failure: KnownError | undefined;
  const feed = new CsvFeed(name, { take });

  function take(): void {
    if (failure) return;
    const { line, source } = feed;
    const { fault } = feed.scan.record;
    const nul = feed.indexOf(0);
    if (fault) failure = feed.error(fault.message, fault.at);
    else if (!feed.isSound)
      failure = notText(name, { line, column: 1 }, 'a byte from here on is not UTF-8; save the file as UTF-8');
    else if (nul >= 0) failure = feed.error('a NUL character stands here; is this a text file?', nul);
    else lines.push({ cells: textsOf(feed.scan, feed.separator), line, source });
  }

  for await (const chunk of chunks) {
    feed.feed(chunk);
    yield { lines, delimiter: String.fromCharCode(feed.separator) };
    if (failure) throw failure;
    lines = [];
  }
  feed.end();
  yield { lines, delimiter: String.fromCharCode(feed.separator) };
  if (failure) throw failure;
}

/** Where a cell begins in a record without faults. */
function startOf(source: string, column: number, delimiter: string): number {
  let at = 0;
  for (let count = 0; count < column; count++) {
    if (source[at] === '"') for (at++; source[at] !== '"' || source[++at] === '"'; at++);
    at = source.indexOf(delimiter, at) + 1;
  }
  return at;
}

function empty(file: string): KnownError {
  const message = 'the file is empty; a line of column names comes first';
  return invalidInput(`${file} cannot be read.`, [{ file, line: 1, column: 1, path: '', message }]);
}

async function* lineRows(text: AsyncIterable<string>): AsyncGenerator<Row[]> {
  let number = 0;
  let line = 0;

  function toRow(source: string): Row[] {
    line++;
    if (source.trim() === '') return [];
    const at = line;
    try {
      const value = parseJson(source);
      // A row is about a person: of an identity that stands twice the wrong one might be taken.
      const [twice] = holdsEachKey(value, source) ? [] : readJson(source).problems;
      if (twice) throw new JsonError(twice.message, twice.offset);
      const locate: Row['locate'] = (where) => {
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

  for await (const lines of linesOf(text)) yield lines.flatMap(toRow);
}

async function* elementRows(text: AsyncIterable<string>, name: string): AsyncGenerator<Row[]> {
  const pieces: string[] = [];
  for await (const piece of text) pieces.push(piece);
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
