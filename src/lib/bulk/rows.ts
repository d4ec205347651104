// Reads the rows of CSV, NDJSON or JSON inputs, with their numbers and positions.
import { createHash } from 'node:crypto';
import { csvTable } from './csv.ts';
import { jsonRows } from './json.ts';
import type { Heading, Opened, Row } from './row.ts';
import type { InputBytes, Inputs } from './sources/bytes.ts';
import { ownTurn } from '../kernel/clock.ts';
import { invalidInput, usageError } from '../kernel/errors.ts';

export interface RowTable {
  /** Heading of the first input that is not empty; the other inputs must have the same columns. */
  heading: Heading;
  /** Groups of rows in the order of the inputs, read on demand. Throws invalid input (9) if reading fails. */
  rows: AsyncIterable<Row[]>;
  /** Returns the SHA-256 of the decompressed bytes in hex. Call it only after reading all rows. */
  digest(): string;
}

/**
 * Reads the rows of all inputs. If `signal` is aborted, stops with its reason. Throws usage (2) for Parquet, and
 * invalid input (9) for columns that differ from the first input's.
 */
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
