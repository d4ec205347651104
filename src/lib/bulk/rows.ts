// Rows of an input, CSV, NDJSON or JSON: each with its number, its place and its cells or its value.
import { createHash } from 'node:crypto';
import { CsvFeed } from '../domain/csv/feed.ts';
import { textsOf } from '../domain/csv/record.ts';
import { notText } from '../files/read-input.ts';
import type { InputBytes } from './sources/bytes.ts';
import { readJson } from '../files/json-document.ts';
import { parseDocumentText } from '../files/load.ts';
import type { ValuePath } from '../files/reading.ts';
import { decoded, linesOf } from '../files/text-chunks.ts';
import { ownTurn } from '../kernel/clock.ts';
import { invalidInput, type KnownError, usageError } from '../kernel/errors.ts';
import { holdsEachKey, JsonError, parseJson } from '../kernel/json.ts';
import { type Place, placeAt } from '../kernel/text-place.ts';

/** One row. `locate` finds line and column of what is wrong in it. */
export interface Row {
  /** From 1 through all inputs; headings and empty lines do not count. */
  number: number;
  /** The input that it is from, as it is shown. */
  file: string;
  /** By column, for CSV; the value itself for JSON; or why there is nothing to be had. */
  content: { cells: readonly string[] } | { value: unknown } | { fault: string };
  locate(where: { column: number } | { path: ValuePath; at?: 'key' }): Place;
}

export interface Column extends Place {
  text: string;
}

/** What comes before the first row. */
export interface Heading {
  file: string;
  /** Column names of a CSV, as they stand; undefined for JSON. */
  columns: readonly Column[] | undefined;
  delimiter: string;
}

export interface RowTable {
  /** Of the first input; the columns of the others are the same. */
  heading: Heading;
  /** In groups, as the file is read. Throws invalid input (9) where no further row can be made out. */
  rows: AsyncIterable<Row[]>;
  /** Hex of the SHA-256 over the unwrapped bytes; complete when the rows are. */
  digest(): string;
}

/**
 * Reads the rows of all inputs; reading ends with the reason of an aborted `signal`. Throws usage (2) for Parquet, and
 * invalid input (9) for columns that are not those of the first input.
 */
export async function openTable(
  sources: readonly [InputBytes, ...InputBytes[]],
  signal?: AbortSignal,
): Promise<RowTable> {
  const hash = createHash('sha256');
  let digest: string | undefined;
  let number = 0;
  async function* hashed(source: InputBytes): AsyncGenerator<Buffer> {
    for await (const chunk of source.chunks()) {
      hash.update(chunk);
      yield chunk;
    }
  }
  const open = (source: InputBytes): Promise<Opened> => tableOf(source, hashed(source));
  const [first, ...others] = sources;
  const { heading, rows } = await open(first);

  async function* numbered(file: string, groups: Opened['rows']): AsyncGenerator<Row[]> {
    for await (const group of groups) {
      yield group.map((row) => ({ ...row, number: ++number, file }));
      await ownTurn(signal);
    }
  }
  async function* all(): AsyncGenerator<Row[]> {
    yield* numbered(first.name, rows);
    for (const source of others) {
      const next = await open(source);
      requireSameColumns(heading, next.heading);
      yield* numbered(source.name, next.rows);
    }
  }
  return { heading, rows: all(), digest: () => (digest ??= hash.digest('hex')) };
}

/** A row before it has its number. */
type LocalRow = Omit<Row, 'number' | 'file'>;

interface Opened {
  heading: Heading;
  rows: AsyncIterable<LocalRow[]>;
}

async function tableOf({ format, name }: InputBytes, chunks: AsyncIterable<Buffer>): Promise<Opened> {
  const heading: Heading = { file: name, columns: undefined, delimiter: ',' };
  switch (format) {
    case 'csv':
      return await csvTable(chunks, name);
    case 'ndjson':
      return { heading, rows: lineRows(decoded(chunks, name)) };
    case 'json':
      return { heading, rows: elementRows(decoded(chunks, name), name) };
    case 'parquet':
      throw usageError(`${name} is Parquet.`, 'Give the requests as CSV, NDJSON or JSON.');
  }
}

/** One results file has the rows of all inputs. */
function requireSameColumns(first: Heading, other: Heading): void {
  const listOf = ({ columns }: Heading): string =>
    columns === undefined ? 'no columns (JSON)' : columns.map(({ text }) => `\`${text}\``).join(', ');
  if (listOf(first) === listOf(other)) return;
  const message = `has ${listOf(other)}; ${first.file} has ${listOf(first)}`;
  throw invalidInput(
    'The inputs have different columns. Nothing was sent.',
    [{ file: other.file, line: 1, column: 1, path: '', message }],
    'Submit them in separate runs.',
  );
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
  function toRow(line: CsvLine): LocalRow {
    const count = line.cells.length;
    const fault = `this line has ${count} ${count === 1 ? 'cell' : 'cells'}; the headings are ${width}`;
    const odd = count === width ? undefined : Math.min(width, count - 1);
    return {
      content: odd === undefined ? { cells: line.cells } : { fault },
      locate: (where) => placeOf(line, odd ?? ('column' in where ? where.column : 0)),
    };
  }

  async function* rows(): AsyncGenerator<LocalRow[]> {
    yield found.map(toRow);
    for await (const { lines } of groups) yield lines.map(toRow);
  }
  const columns = header.cells.map((text, column) => ({ text, ...placeOf(header, column) }));
  return { heading: { file: name, columns, delimiter }, rows: rows() };
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

async function* lineRows(text: AsyncIterable<string>): AsyncGenerator<LocalRow[]> {
  let line = 0;

  function toRow(source: string): LocalRow[] {
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
      return [{ content: { value }, locate }];
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      const column = (error.offset ?? 0) + 1;
      return [{ content: { fault: error.message }, locate: () => ({ line: at, column }) }];
    }
  }

  for await (const lines of linesOf(text)) yield lines.flatMap(toRow);
}

async function* elementRows(text: AsyncIterable<string>, name: string): AsyncGenerator<LocalRow[]> {
  const pieces: string[] = [];
  for await (const piece of text) pieces.push(piece);
  const document = await parseDocumentText(name, pieces.join(''), 'json');
  const list = Array.isArray(document.value) ? (document.value as unknown[]) : undefined;
  yield (list ?? [document.value]).map((value, index) => ({
    content: { value },
    locate: (where) => {
      const inside = 'path' in where ? where.path : [];
      return document.locate(list ? [index, ...inside] : inside, 'path' in where ? where.at : undefined);
    },
  }));
}
