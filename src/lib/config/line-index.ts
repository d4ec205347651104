// The offsets of each request's lines in the ledger, in a few bytes per line, to read all lines of a request together.
import { doubled } from './id-table.ts';
import { createRequestNumbers } from './request-numbers.ts';

/** From the beginning of a line to the beginning of the next, in bytes. */
export interface Span {
  from: number;
  to: number;
  /** Number of its request. */
  request: number;
}

export type LineIndex = ReturnType<typeof createLineIndex>;

const NONE = 0xffff_ffff;
const START = 1024;

export function createLineIndex() {
  const requests = createRequestNumbers();
  let offsets = new Float64Array(START);
  /** By line: the line of the same request before it. */
  let before = new Uint32Array(START);
  /** By request: its last line. */
  let lasts = new Uint32Array(START);
  let lines = 0;

  return {
    /** Requests, numbered from 0 in the order of their first lines. */
    get requests(): number {
      return requests.size;
    },
    /** Lines come in the order of the file. The request's number; undefined for a line that may be about several. */
    add: ({ id, offset, scope }: { id: string; scope: string | undefined; offset: number }): number | undefined => {
      const known = requests.size;
      const number = requests.add(id, scope);
      if (number === undefined) return undefined;
      if (lines === offsets.length) [offsets, before] = [doubled(offsets, Float64Array), doubled(before, Uint32Array)];
      if (number === lasts.length) lasts = doubled(lasts, Uint32Array);
      before[lines] = number === known ? NONE : (lasts[number] ?? NONE);
      lasts[number] = lines;
      offsets[lines++] = offset;
      return number;
    },
    /** The lines of these requests, in the order of the file. `end` is where the last line of all ends. */
    spans: (numbers: Iterable<number>, end: number): Span[] => {
      const found: Span[] = [];
      for (const request of numbers) {
        for (let line = lasts[request] ?? NONE; line !== NONE; line = before[line] ?? NONE) {
          const to = line + 1 < lines ? (offsets[line + 1] ?? end) : end;
          found.push({ from: offsets[line] ?? end, to, request });
        }
      }
      return found.sort((a, b) => a.from - b.from);
    },
  };
}
