// Reads the rows of CSV, NDJSON or JSON inputs, with their numbers and positions.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { csvTable, type Heading, type LocalRow, type Opened, type Row } from './csv.ts';
import { ElementReader, createLineReader } from '../domain/seed/json-rows.ts';
import type { JsonSink } from '../domain/seed/row-bytes.ts';
import { readJson } from '../files/reading.ts';
import { holdsEachKey, JsonError, parseJson } from '../kernel/json.ts';
import type { InputBytes, Inputs } from './sources/bytes.ts';
import { ownTurn } from '../kernel/clock.ts';
import { invalidInput, type Place, placeAt, usageError } from '../kernel/errors.ts';

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
      const place = { line: sink.line ?? position, column: sink.column ?? 1 };
      const isText = isUtf8(bytes.subarray(start, end));
      rows.push(isText ? toRow(bytes.toString('utf8', start, end), place) : faulty('contains invalid UTF-8', place));
    },
    refuse: (position, message) =>
      rows.push(faulty(message, { line: sink.line ?? position, column: sink.column ?? 1 })),
  };
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
