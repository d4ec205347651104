// Reads CSV rows and locates their cells.
import { CsvFeed } from '../domain/csv/feed.ts';
import { RecordScan } from '../domain/csv/record.ts';
import { QUOTE } from '../domain/seed/scan.ts';
import { notText } from '../files/read-input.ts';
import { counted } from '../kernel/words.ts';
import { type KnownError, type Place, placeAt } from '../kernel/errors.ts';
import type { LocalRow, Opened } from './row.ts';
import type { InputBytes } from './sources/bytes.ts';

/** The cells of a record, and its source text, which is needed to locate a cell. */
interface CsvLine {
  cells: string[];
  line: number;
  source: string;
}

class CsvLines {
  readonly feed: CsvFeed;
  lineEnd: string | undefined;
  readonly #name: string;
  #lines: CsvLine[] = [];
  #failure: KnownError | undefined;

  constructor({ dialect, name }: InputBytes) {
    this.#name = name;
    this.feed = new CsvFeed(name, { take: () => this.#take() }, dialect);
  }

  /** Yields the records of each chunk. For a bad record, yields those before it, then throws invalid input (9). */
  async *read(chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvLine[]> {
    for await (const chunk of chunks) {
      this.feed.feed(chunk);
      yield this.#taken();
    }
    this.feed.end();
    yield this.#taken();
    if (this.#failure) throw this.#failure;
  }

  #taken(): CsvLine[] {
    if (this.#failure && this.#lines.length === 0) throw this.#failure;
    const found = this.#lines;
    this.#lines = [];
    return found;
  }

  #take(): void {
    if (this.#failure) return;
    const { feed } = this;
    const { line, source } = feed;
    const { end, fault, next } = feed.scan.record;
    this.lineEnd ??= next - end === 2 ? '\r\n' : '\n';
    const nul = feed.indexOf(0);
    if (fault) this.#failure = feed.error(fault.message, fault.at);
    else if (!feed.isSound)
      this.#failure = notText(this.#name, { line, column: 1 }, 'contains invalid UTF-8; save the file as UTF-8');
    else if (nul >= 0) this.#failure = feed.error('unexpected NUL character; is this a text file?', nul);
    else this.#lines.push({ cells: feed.scan.texts(), line, source });
  }
}

/** Reads the header now (an empty file has no columns), and the rows in `chunks` later. Throws invalid input (9). */
export async function csvTable(source: InputBytes, chunks: AsyncIterable<Buffer>): Promise<Opened> {
  const { dialect, name } = source;
  const beginning = new CsvLines(source);
  const { feed } = beginning;
  let first: CsvLine | undefined;
  for await (const [line] of beginning.read(source.chunks())) {
    first = line;
    if (first !== undefined) break;
  }
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
    for await (const lines of new CsvLines(source).read(chunks)) {
      if (isHeader && lines.shift() !== undefined) isHeader = false;
      yield lines.map(toRow);
    }
  }

  const columns = names.map((text, column) => {
    return { text, ...(header ? placeOf(header, column) : { line: 1, column: 1 }) };
  });
  const mark = feed.hasMark ? '\ufeff' : '';
  const delimiter = String.fromCharCode(feed.separator);
  return { heading: { file: name, columns, delimiter, mark, lineEnd: beginning.lineEnd ?? '\n' }, rows: rows() };
}
