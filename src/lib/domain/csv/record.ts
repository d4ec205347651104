// Finds one record of CSV in bytes, and its cells.
import { BACKSLASH, LINE_FEED, QUOTE } from '../seed/scan.ts';
import type { Escapes } from './dialect.ts';

/** The cells of one record. The byte after each cell is not a digit. */
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
  /** Offset of the next record; after the limit if only the limit ends the record. */
  next: number;
  /** Cells. */
  count: number;
  /** Number of its lines. */
  lines: number;
  /** Whether its cells need no unescaping: no quote is doubled. */
  isPlain: boolean;
  /** The first violation of the rules for quotes. `at` is an offset in `bytes`. */
  fault: { message: string; at: number } | undefined;
}

export interface RecordScan {
  readonly record: CsvRecord;
  /** The cells of a plain record; overwritten by the next one. */
  readonly cells: Cells;
  /** Offset in the record of the quoted cell that was open when `read` returned false. */
  readonly openAt: number;
  /** The texts of the cells of the last record. */
  texts(): string[];
  /** Reads the record at `at`; false if it does not end before `limit`. A line feed must be at `limit`. */
  read(bytes: Buffer, at: number, limit: number, separator: number): boolean;
}

const RETURN = 0x0d;
const INSIDE = 'a quote is inside an unquoted cell; put the whole cell in quotes';
const BEHIND = 'text follows a closing quote; a quote within quotes is written twice';

export function createRecordScan(escapes?: Escapes): RecordScan {
  const record: CsvRecord = { start: 0, end: 0, next: 0, count: 0, lines: 0, isPlain: true, fault: undefined };
  let openAt = 0;
  const cells: Cells = { bytes: Buffer.alloc(0), starts: new Int32Array(64), ends: new Int32Array(64) };
  let texts: string[] = [];

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

  /** The same with backslash escapes: slower, and its cells are texts. */
  function readEscaped(bytes: Buffer, begin: number, limit: number, separator: number): boolean {
    let at = begin;
    let count = 0;
    let lines = 1;
    let fault: CsvRecord['fault'];
    texts = [];
    for (;;) {
      if (count === cells.starts.length) grow();
      const isQuoted = bytes[at] === QUOTE && at < limit;
      const start = isQuoted ? ++at : at;
      let isOpen = isQuoted;
      let closed = -1;
      const parts: string[] = [];
      let from = start;
      for (; at < limit && (isOpen || (bytes[at] !== separator && bytes[at] !== LINE_FEED)); at++) {
        const code = bytes[at];
        if (code === LINE_FEED) lines++;
        if (code === BACKSLASH && at + 1 < limit && mayEscape(isOpen, bytes[at + 1])) {
          parts.push(bytes.toString('utf8', from, at));
          from = ++at;
          if (bytes[at] === LINE_FEED) lines++;
        } else if (code === QUOTE && isOpen) {
          if (at + 1 < limit && bytes[at + 1] === QUOTE) {
            parts.push(bytes.toString('utf8', from, at));
            from = ++at;
          } else {
            isOpen = false;
            closed = at;
          }
        } else if (code === QUOTE) fault ??= { message: closed < 0 ? INSIDE : BEHIND, at };
      }
      openAt = start - 1 - begin;
      if (isOpen) return false;
      const isLast = at >= limit || bytes[at] === LINE_FEED;
      const end = isLast && at > start && bytes[at - 1] === RETURN ? at - 1 : at;
      if (closed >= 0 && end > closed + 1) fault ??= { message: BEHIND, at: closed + 1 };
      const raw = bytes.toString('utf8', start, closed < 0 ? end : closed);
      parts.push(bytes.toString('utf8', from, closed < 0 ? Math.max(from, end) : closed));
      texts.push(raw === '\\N' ? raw : parts.join(''));
      cells.starts[count++] = start;
      if (isLast) {
        Object.assign(record, { start: begin, end, next: at + 1, count, lines, isPlain: false, fault });
        return true;
      }
      at++;
    }
  }

  function mayEscape(isQuoted: boolean, next: number | undefined): boolean {
    if (escapes === 'quoted') return isQuoted && (next === QUOTE || next === BACKSLASH);
    return escapes === 'everywhere' || !isQuoted;
  }

  return {
    record,
    cells,
    get openAt() {
      return openAt;
    },
    texts: () => (escapes === undefined ? textsOf(record, cells) : texts),
    read: escapes === undefined ? read : readEscaped,
  };
}

function textsOf({ count, isPlain }: CsvRecord, { bytes, starts, ends }: Cells): string[] {
  return Array.from({ length: count }, (_, index) => {
    const text = bytes.toString('utf8', starts[index], ends[index]);
    return isPlain || bytes[(starts[index] as number) - 1] !== QUOTE ? text : text.replaceAll('""', '"');
  });
}

/** The texts as cells of one buffer. */
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
