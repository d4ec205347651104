// Finds a CSV record in bytes and splits it into cells.
import { BACKSLASH, LINE_FEED, QUOTE } from '../seed/scan.ts';
import type { Escapes } from './dialect.ts';

/** The cells of a record. The byte after a cell is never a digit. */
export interface Cells {
  bytes: Buffer;
  starts: Int32Array;
  ends: Int32Array;
}

/** The current record; reading the next one overwrites it. */
export interface CsvRecord {
  start: number;
  end: number;
  /** Offset of the next record; greater than the limit if the record ends at the limit. */
  next: number;
  count: number;
  lines: number;
  /** True if no cell of the record needs unescaping. */
  isPlain: boolean;
  /** First violation of the quoting rules; `at` is an offset in `bytes`. */
  fault: { message: string; at: number } | undefined;
}

export const RETURN = 0x0d;
const IN_UNQUOTED = 'an unquoted cell contains a quote; put the whole cell in quotes';
const AFTER_QUOTE = 'text follows a closing quote; to include a quote in a quoted cell, double it';

export class RecordScan {
  readonly record: CsvRecord = { start: 0, end: 0, next: 0, count: 0, lines: 0, isPlain: true, fault: undefined };
  /** Cells of the record, still escaped; the next record overwrites them. */
  readonly cells: Cells = { bytes: Buffer.alloc(0), starts: new Int32Array(64), ends: new Int32Array(64) };
  /** Offset, within the record, of the quoted cell that was open when `read` returned false. */
  openAt = 0;
  readonly #escapes: Escapes | undefined;
  /** Escape byte, or a negative number if there is none. */
  readonly #escape: number;
  /** Offset of the first quote in the current unquoted cell, or -1. */
  #quoteAt = -1;

  constructor(escapes?: Escapes) {
    this.#escapes = escapes;
    this.#escape = escapes === undefined ? -1 : BACKSLASH;
  }

  /** Reads the record at `begin`. Returns false if a quoted cell is open at `limit`, the offset of a newline. */
  read(bytes: Buffer, begin: number, limit: number, separator: number): boolean {
    const { cells, record } = this;
    cells.bytes = bytes;
    record.start = begin;
    record.count = 0;
    record.lines = 1;
    record.isPlain = true;
    record.fault = undefined;
    for (let at = begin; ; at++) {
      if (record.count === cells.starts.length) this.#grow();
      const isQuoted = bytes[at] === QUOTE && at < limit;
      const start = isQuoted ? at + 1 : at;
      const closed = isQuoted ? this.#afterQuoted(bytes, start, limit) : at;
      if (closed < 0) {
        this.openAt = at - begin;
        return false;
      }
      at = this.#afterUnquoted(bytes, closed, limit, separator);
      const isLast = bytes[at] === LINE_FEED;
      const end = isLast && at > closed && bytes[at - 1] === RETURN ? at - 1 : at;
      if (isQuoted && end > closed) record.fault ??= { message: AFTER_QUOTE, at: closed };
      else if (!isQuoted && this.#quoteAt >= 0) record.fault ??= { message: IN_UNQUOTED, at: this.#quoteAt };
      cells.starts[record.count] = start;
      cells.ends[record.count] = isQuoted ? closed - 1 : end;
      record.count++;
      if (!isLast) continue;
      record.end = end;
      record.next = at + 1;
      return true;
    }
  }

  /** Returns the offset after the closing quote of a cell that starts at `start`; -1 if there is no closing quote. */
  #afterQuoted(bytes: Buffer, start: number, limit: number): number {
    const { record } = this;
    for (let at = start; at < limit; at++) {
      const code = bytes[at];
      if (code === LINE_FEED) record.lines++;
      else if (code === this.#escape && this.#isEscaped(bytes[at + 1], true)) {
        at++;
        this.#skipEscaped(bytes[at]);
      } else if (code === QUOTE) {
        at++;
        if (at >= limit || bytes[at] !== QUOTE) return at;
        record.isPlain = false;
      }
    }
    return -1;
  }

  /** Returns the offset of the separator or newline that ends a cell. */
  #afterUnquoted(bytes: Buffer, start: number, limit: number, separator: number): number {
    this.#quoteAt = -1;
    let at = start;
    for (let code = bytes[at] as number; code !== separator; code = bytes[++at] as number) {
      // Almost every byte of a cell is greater than a quote, so this check comes first.
      if (code <= QUOTE) {
        if (code === LINE_FEED) break;
        if (code === QUOTE && this.#quoteAt < 0) this.#quoteAt = at;
      } else if (code === this.#escape && at + 1 < limit && this.#isEscaped(bytes[at + 1], false)) {
        at++;
        this.#skipEscaped(bytes[at]);
      }
    }
    return at;
  }

  #isEscaped(code: number | undefined, isQuoted: boolean): boolean {
    if (this.#escapes === 'quoted') return isQuoted && (code === QUOTE || code === BACKSLASH);
    return this.#escapes === 'everywhere' || !isQuoted;
  }

  #skipEscaped(code: number | undefined): void {
    this.record.isPlain = false;
    if (code === LINE_FEED) this.record.lines++;
  }

  #grow(): void {
    for (const edges of ['starts', 'ends'] as const) {
      const larger = new Int32Array(this.cells[edges].length * 2);
      larger.set(this.cells[edges]);
      this.cells[edges] = larger;
    }
  }

  texts(): string[] {
    const { bytes, starts, ends } = this.cells;
    const { count, isPlain } = this.record;
    return Array.from({ length: count }, (_, index) => {
      const start = starts[index] as number;
      const text = bytes.toString('utf8', start, ends[index]);
      return isPlain ? text : this.#unescaped(text, bytes[start - 1] === QUOTE);
    });
  }

  #unescaped(text: string, isQuoted: boolean): string {
    const escapes = this.#escapes;
    if (text === '\\N' || (!isQuoted && (escapes === undefined || escapes === 'quoted'))) return text;
    const inQuotes = escapes === 'quoted' ? /""|\\["\\]/g : escapes === 'everywhere' ? /""|\\[^]/g : /""/g;
    return text.replace(isQuoted ? inQuotes : /\\[^]/g, (pair) => pair.slice(1));
  }
}

/** Returns the strings as cells in a single buffer. */
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
