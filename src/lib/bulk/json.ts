// Reads the rows of NDJSON or JSON (one value, several values, or an array) and locates their fields.
import { isUtf8 } from 'node:buffer';
import { ElementReader, createLineReader } from '../domain/seed/json-rows.ts';
import type { JsonTaker } from '../domain/seed/row-bytes.ts';
import { readJson } from '../files/reading.ts';
import { holdsEachKey, JsonError, parseJson } from '../kernel/json.ts';
import { type Place, placeAt } from '../kernel/errors.ts';
import type { LocalRow } from './row.ts';

const NOT_UTF8 = 'contains invalid UTF-8';

export async function* jsonRows(chunks: AsyncIterable<Buffer>, format: 'ndjson' | 'json'): AsyncGenerator<LocalRow[]> {
  let rows: LocalRow[] = [];
  const taker: JsonTaker = {
    line: undefined,
    offset: -1,
    column: 1,
    takeJson: (bytes, start, end, position) => {
      const place = { line: taker.line ?? position, column: taker.column ?? 1 };
      const isText = isUtf8(bytes.subarray(start, end));
      rows.push(isText ? toRow(bytes.toString('utf8', start, end), place) : faulty(NOT_UTF8, place));
    },
    refuse: (position, message) =>
      rows.push(faulty(message, { line: taker.line ?? position, column: taker.column ?? 1 })),
  };
  const reader = format === 'ndjson' ? createLineReader(taker, { line: 0, offset: -1 }) : new ElementReader(taker);
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
    const [twice] = holdsEachKey(value, source) ? [] : readJson(source).problems;
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
