// Where the lines of each request stand in the ledger: a few bytes for each line, so that all that is known of a request
// can be read together, although its lines lie far from each other.
import { createIdTable, doubled } from './id-table.ts';

/** From the beginning of a line to the beginning of the next, in bytes. */
export interface Span {
  from: number;
  to: number;
}

export interface LineIndex {
  /** Requests, numbered from 0 in the order of their first lines. */
  readonly requests: number;
  /** Lines come in the order of the file. The request's number. */
  add(id: string, offset: number): number;
  /** The lines of these requests, in the order of the file. `end` is where the last line of all ends. */
  spans(numbers: Iterable<number>, end: number): Span[];
}

const NONE = 0xffff_ffff;
const START = 1024;

export function createLineIndex(): LineIndex {
  const ids = createIdTable();
  let offsets = new Float64Array(START);
  /** By line: the line of the same request before it. */
  let before = new Uint32Array(START);
  /** By request: its last line. */
  let lasts = new Uint32Array(START);
  let lines = 0;

  return {
    get requests() {
      return ids.size;
    },
    add: (id, offset) => {
      if (lines === offsets.length) [offsets, before] = [doubled(offsets, Float64Array), doubled(before, Uint32Array)];
      const known = ids.size;
      const number = ids.add(id);
      if (number === lasts.length) lasts = doubled(lasts, Uint32Array);
      before[lines] = number === known ? NONE : (lasts[number] ?? NONE);
      lasts[number] = lines;
      offsets[lines++] = offset;
      return number;
    },
    spans: (numbers, end) => {
      const found: number[] = [];
      for (const number of numbers) {
        for (let line = lasts[number] ?? NONE; line !== NONE; line = before[line] ?? NONE) found.push(line);
      }
      found.sort((a, b) => a - b);
      return found.map((line) => ({
        from: offsets[line] ?? end,
        to: line + 1 < lines ? (offsets[line + 1] ?? end) : end,
      }));
    },
  };
}
