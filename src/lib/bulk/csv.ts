// The rows of an input, with their positions. Reads the rows of CSV inputs.
import { CsvFeed } from '../domain/csv/feed.ts';
import { RecordScan } from '../domain/csv/record.ts';
import { QUOTE } from '../domain/seed/scan.ts';
import { notText } from '../files/read-input.ts';
import { counted } from '../kernel/words.ts';
import { type KnownError, type Place, placeAt } from '../kernel/errors.ts';
import type { InputBytes } from './sources/bytes.ts';
import type { ValuePath } from '../files/reading.ts';

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
