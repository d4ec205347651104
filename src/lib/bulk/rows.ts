// Reads the rows of CSV, NDJSON or JSON inputs, with their numbers and positions.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { ElementReader, createLineReader } from '../domain/seed/json-rows.ts';
import { type JsonSink, QUOTE } from '../domain/seed/scan.ts';
import { readJson, type ValuePath } from '../kernel/reading.ts';
import { holdsEachKey, JsonError, parseJson } from '../kernel/json.ts';
import type { InputBytes, Inputs } from './sources/bytes.ts';
import { ownTurn } from '../kernel/clock.ts';
import { invalidInput, type KnownError, type Place, placeAt, usageError } from '../kernel/errors.ts';
import { CsvFeed } from '../domain/csv/feed.ts';
import { RecordScan } from '../domain/csv/record.ts';
import { notText } from '../files/read-input.ts';
import { counted } from '../kernel/words.ts';

export interface RowTable {
  /** Heading of the first input that is not empty; the other inputs must have the same columns. */
  heading: Heading;
  /** Groups of rows in the order of the inputs, read on demand. Throws invalid input (9) if reading fails. */
  rows: AsyncIterable<Row[]>;
  /** Returns the SHA-256 of the decompressed bytes in hex. Call it only after reading all rows. */
  digest(): string;
}

/** Throws usage (2) for Parquet, and invalid input (9) for columns that differ from the first input's. */
export async function openTable(sources: Inputs, signal?: AbortSignal): Promise<RowTable> {
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
  const isEmpty = ({ columns }: Heading): boolean => columns?.length === 0;
  let at = 0;
  let { heading, rows } = await open(sources[0]);
  for (let next; isEmpty(heading) && (next = sources[at + 1]); at++) ({ heading, rows } = await open(next));

  async function* numbered(file: string, groups: Opened['rows']): AsyncGenerator<Row[]> {
    for await (const group of groups) {
      yield group.map((row) => ({ ...row, number: ++number, file }));
      await ownTurn(signal);
    }
  }
  async function* all(): AsyncGenerator<Row[]> {
    yield* numbered(heading.file, rows);
    for (const source of sources.slice(at + 1)) {
      const next = await open(source);
      if (!isEmpty(next.heading)) requireSameColumns(heading, next.heading);
      yield* numbered(source.name, next.rows);
    }
  }
  return { heading, rows: all(), digest: () => (digest ??= hash.digest('hex')) };
}

async function tableOf(source: InputBytes, chunks: AsyncIterable<Buffer>): Promise<Opened> {
  const { format, name } = source;
  if (format === 'csv') return await csvTable(source, chunks);
  if (format === 'parquet') throw usageError(`${name} is Parquet.`, 'Pass the requests as CSV, NDJSON or JSON.');
  const heading: Heading = { file: name, columns: undefined, delimiter: ',', mark: '', lineEnd: '\n' };
  return { heading, rows: jsonRows(chunks, format) };
}

/** All inputs need the same columns, because they share a single results file. */
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

async function* jsonRows(chunks: AsyncIterable<Buffer>, format: 'ndjson' | 'json'): AsyncGenerator<LocalRow[]> {
  let rows: LocalRow[] = [];
  const sink: JsonSink = {
    line: undefined,
    offset: -1,
    column: 1,
    takeJson: (bytes, start, end, position) => {
      const place = placeOf(position);
      const isText = isUtf8(bytes.subarray(start, end));
      rows.push(isText ? toRow(bytes.toString('utf8', start, end), place) : faulty('contains invalid UTF-8', place));
    },
    reject: (position, message) => rows.push(faulty(message, placeOf(position))),
  };
  const placeOf = (position: number): Place => ({ line: sink.line ?? position, column: sink.column ?? 1 });
  const reader = format === 'ndjson' ? createLineReader(sink, { line: 0, offset: -1 }) : new ElementReader(sink);
  for await (const chunk of chunks) {
    reader.feed(chunk);
    yield rows;
    rows = [];
    if (reader.isOver) return;
  }
  reader.end();
  yield rows;
}

const faulty = (fault: string, place: Place): LocalRow => ({ content: { fault }, locate: () => place });

function toRow(source: string, start: Place): LocalRow {
  const at = (offset: number): Place => {
    const { column, line } = placeAt(source, offset);
    return { line: start.line + line - 1, column: line === 1 ? start.column + column - 1 : column };
  };
  try {
    const value = parseJson(source);
    // Duplicate keys are not allowed: with two values for an identity, the request could affect the wrong person.
    const [twice] = holdsEachKey(source) ? [] : readJson(source).problems;
    if (twice) throw new JsonError(twice.message, twice.offset);
    return {
      content: { value },
      locate: (where) => at('path' in where ? readJson(source).offsetOf(where.path, where.at) : 0),
    };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return faulty(error.message, at(error.offset ?? 0));
  }
}

/** The cells of a record, and its source text, which is needed to locate a cell. */
interface CsvLine {
  cells: string[];
  line: number;
  lineEnd: string;
  source: string;
}

function createLines({ dialect, name }: InputBytes) {
  const feed = new CsvFeed(name, take, dialect);
  let lines: CsvLine[] = [];
  let failure: KnownError | undefined;

  function take(): void {
    if (failure) return;
    const { line, source } = feed;
    const { end, fault, next } = feed.scan.record;
    const nul = feed.indexOf(0);
    if (fault) failure = feed.error(fault.message, fault.at);
    else if (!feed.isSound)
      failure = notText(name, { line, column: 1 }, 'contains invalid UTF-8; save the file as UTF-8');
    else if (nul >= 0) failure = feed.error('unexpected NUL character; is this a text file?', nul);
    else lines.push({ cells: feed.scan.texts(), line, source, lineEnd: next - end === 2 ? '\r\n' : '\n' });
  }

  function* taken(): Generator<CsvLine[]> {
    yield lines;
    if (failure) throw failure;
    lines = [];
  }

  /** Yields the records of each chunk. For a bad record, yields those before it, then throws invalid input (9). */
  async function* read(chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvLine[]> {
    for await (const chunk of chunks) {
      feed.feed(chunk);
      yield* taken();
    }
    feed.end();
    yield* taken();
  }

  return { feed, read };
}

/** Reads the header now (an empty file has no columns), and the rows in `chunks` later. Throws invalid input (9). */
export async function csvTable(source: InputBytes, chunks: AsyncIterable<Buffer>): Promise<Opened> {
  const { dialect, name } = source;
  const { feed, read } = createLines(source);
  let first: CsvLine | undefined;
  for await ([first] of read(source.chunks())) if (first !== undefined) break;
  const header = dialect.columns === undefined ? first : undefined;
  const names = header?.cells ?? dialect.columns ?? [];
  const places = new RecordScan(dialect.escapes);

  function placeOf({ line, source: text }: CsvLine, column: number): Place {
    const bytes = Buffer.from(`${text}\n`);
    places.read(bytes, 0, bytes.length - 1, feed.separator);
    const start = places.cells.starts[column] ?? 0;
    const before = bytes.toString('utf8', 0, start > 0 && bytes[start - 1] === QUOTE ? start - 1 : start);
    const at = placeAt(before, before.length);
    return { line: line + at.line - 1, column: at.column };
  }

  function toRow(line: CsvLine): LocalRow {
    const count = line.cells.length;
    const width = names.length;
    const fault = `this line has ${counted(count, 'cell')}, but ${header ? 'the header has' : '--columns names'} ${width}`;
    const odd = count === width ? undefined : Math.min(width, count - 1);
    return {
      content: odd === undefined ? { cells: line.cells } : { fault },
      locate: (where) => placeOf(line, odd ?? ('column' in where ? where.column : 0)),
    };
  }

  async function* rows(): AsyncGenerator<LocalRow[]> {
    let isHeader = header !== undefined;
    for await (const lines of createLines(source).read(chunks)) {
      if (isHeader && lines.shift() !== undefined) isHeader = false;
      yield lines.map(toRow);
    }
  }

  const columns = names.map((text, column) => {
    return { text, ...(header ? placeOf(header, column) : { line: 1, column: 1 }) };
  });
  const mark = feed.hasMark ? '\ufeff' : '';
  const delimiter = String.fromCharCode(feed.separator);
  return { heading: { file: name, columns, delimiter, mark, lineEnd: first?.lineEnd ?? '\n' }, rows: rows() };
}

export interface Row {
  /** Row number across all inputs, starting at 1; headings and empty lines are not counted. */
  number: number;
  file: string;
  /** Cells of a CSV row, the value of a JSON row, or the reason why the row cannot be read. */
  content: { cells: readonly string[] } | { value: unknown } | { fault: string };
  locate(where: { column: number } | { path: ValuePath; at?: 'key' }): Place;
}

export interface Heading {
  file: string;
  /** Column names of a CSV file; undefined for JSON. */
  columns: readonly (Place & { text: string })[] | undefined;
  delimiter: string;
  /** Byte order mark, or an empty string. */
  mark: string;
  lineEnd: string;
}

export type LocalRow = Omit<Row, 'number' | 'file'>;

export interface Opened {
  heading: Heading;
  rows: AsyncIterable<LocalRow[]>;
}
