// Finds one record of CSV in bytes and where its cells stand in it.
import { LINE_FEED, QUOTE } from '../seed/scan.ts';

/** The cells of one record. Behind each cell stands a byte that is no digit. */
export interface Cells {
  bytes: Buffer;
  starts: Int32Array;
  ends: Int32Array;
}

/** A record; overwritten by the next one. */
export interface CsvRecord {
  /** Its bytes, without the line end. */
  start: number;
  end: number;
  /** Where what follows it begins. */
  next: number;
  /** Cells. */
  count: number;
  /** Lines that it ends, its own among them. */
  lines: number;
  /** Whether its cells can be taken as they stand: no quote is doubled. */
  isPlain: boolean;
  /** What breaks the rules for quotes first, if anything does. `at` counts from where `bytes` begins. */
  fault: { message: string; at: number } | undefined;
}

export interface RecordScan {
  readonly record: CsvRecord;
  /** The cells of a plain record; overwritten by the next one. */
  readonly cells: Cells;
  /** Where the cell began that was open when `read` returned false, from the record's beginning. */
  readonly openAt: number;
  /** Reads the record that begins at `at`; false when it does not end before `limit`, where a line feed must stand. */
  read(bytes: Buffer, at: number, limit: number, separator: number): boolean;
}

const RETURN = 0x0d;
const INSIDE = 'a quote stands inside an unquoted cell; put the whole cell in quotes';
const BEHIND = 'text follows a closing quote; a quote within quotes is written twice';

export function createRecordScan(): RecordScan {
  const record: CsvRecord = { start: 0, end: 0, next: 0, count: 0, lines: 0, isPlain: true, fault: undefined };
  let openAt = 0;
  const cells: Cells = { bytes: Buffer.alloc(0), starts: new Int32Array(64), ends: new Int32Array(64) };

  function grow(): void {
    for (const edges of ['starts', 'ends'] as const) {
      const larger = new Int32Array(cells[edges].length * 2);
      larger.set(cells[edges]);
      cells[edges] = larger;
    }
  }

  function read(bytes: Buffer, begin: number, limit: number, separator: number): boolean {
    let at = begin;
    let count = 0;
    let lines = 1;
    let isPlain = true;
    let fault: CsvRecord['fault'];
    for (;;) {
      if (count === cells.starts.length) grow();
      let start = at;
      let end = -1;
      if (bytes[at] === QUOTE && at < limit) {
        start = ++at;
        for (;;) {
          for (let code = bytes[at]; at < limit && code !== QUOTE; code = bytes[++at]) if (code === LINE_FEED) lines++;
          if (at >= limit) {
            openAt = start - 1 - begin;
            return false;
          }
          at++;
          if (at >= limit || bytes[at] !== QUOTE) break;
          isPlain = false;
          at++;
        }
        end = at - 1;
      }
      const closed = at;
      let code = bytes[at];
      let quote = -1;
      while (code !== separator) {
        // Nearly every byte of a cell is above a quote: two comparisons are enough for it.
        if ((code as number) <= QUOTE) {
          if (code === LINE_FEED) break;
          if (code === QUOTE && quote < 0) quote = at;
        }
        code = bytes[++at];
      }
      const last = code === LINE_FEED && at > closed && bytes[at - 1] === RETURN ? at - 1 : at;
      if (end < 0) {
        end = last;
        if (quote >= 0) fault ??= { message: INSIDE, at: quote };
      } else if (last > closed) fault ??= { message: BEHIND, at: closed };
      cells.starts[count] = start;
      cells.ends[count] = end;
      count++;
      if (code === LINE_FEED) {
        cells.bytes = bytes;
        Object.assign(record, { start: begin, end: last, next: at + 1, count, lines, isPlain, fault });
        return true;
      }
      at++;
    }
  }

  return {
    record,
    cells,
    get openAt() {
      return openAt;
    },
    read,
  };
}

/** The texts of the cells that `read` found. */
export function textsOf({ record, cells }: RecordScan, separator: number): string[] {
  const { bytes, starts, ends } = cells;
  if (!record.isPlain) {
    return splitQuoted(bytes.toString('utf8', record.start, record.end), String.fromCharCode(separator));
  }
  return Array.from({ length: record.count }, (_, index) => bytes.toString('utf8', starts[index], ends[index]));
}

/** The texts of a whole record with quotes in it. */
function splitQuoted(text: string, separator: string): string[] {
  const cells: string[] = [];
  for (let at = 0; ;) {
    let cell = '';
    if (text.startsWith('"', at)) {
      for (let from = at + 1; ;) {
        const quote = text.indexOf('"', from);
        cell += text.slice(from, quote);
        at = quote + 1;
        if (!text.startsWith('"', at)) break;
        cell += '"';
        from = at + 1;
      }
    }
    const next = text.indexOf(separator, at);
    cells.push(cell + text.slice(at, next < 0 ? text.length : next));
    if (next < 0) return cells;
    at = next + 1;
  }
}

/** Cells put together anew, side by side. */
export function cellsOf(texts: readonly string[]): Cells {
  const starts = new Int32Array(texts.length);
  const ends = new Int32Array(texts.length);
  let at = 0;
  for (const [index, text] of texts.entries()) {
    starts[index] = at;
    at += Buffer.byteLength(text);
    ends[index] = at++;
  }
  return { bytes: Buffer.from(`${texts.join('\n')}\n`), starts, ends };
}
