// Splits a stream of CSV bytes into records (RFC 4180) and tracks their line numbers.
import { isUtf8 } from 'node:buffer';
import { separatorOf } from '../../kernel/csv.ts';
import { type KnownError, invalidInput, placeAt } from '../../kernel/errors.ts';
import { sizeText } from '../../kernel/words.ts';
import { LINE_FEED, markLength, matchesAt, MAX_ROW_BYTES, Pending, type RowReader, skipSpace } from '../seed/scan.ts';
import type { Dialect } from './dialect.ts';
import { RecordScan, RETURN } from './record.ts';

/** First byte of a byte order mark. */
const MARK = 0xef;
const TOO_LONG = `the record is longer than ${sizeText(MAX_ROW_BYTES)}`;
const NOT_CLOSED = 'this cell starts with a quote that is never closed';
const REPEATED = 'this line repeats the header, perhaps because several files were joined; remove it';
const LONE_RETURN = 'this carriage return does not end the line; save the file with LF or CRLF line breaks';
const NAMES = 'this line contains the column names; if the file has a header, omit --headerless and --columns';

export class CsvFeed implements RowReader {
  readonly scan: RecordScan;
  /** 1-based line where the current record starts. */
  line = 1;
  separator = 0;
  /** True if the input starts with a byte order mark. */
  hasMark = false;
  readonly #name: string;
  readonly #onRecord: () => void;
  readonly #pending = new Pending();
  /** True if the complete lines are valid UTF-8, so that each record is, too. */
  #isSound = false;
  /** True once the first record has been found. */
  #hasBegun = false;
  readonly #wanted: string | undefined;
  readonly #columns: readonly string[] | undefined;
  #header = Buffer.alloc(0);

  /** `onRecord` is called for each record, starting with the header. */
  constructor(name: string, onRecord: () => void, { columns, escapes, separator }: Dialect = {}) {
    this.#name = name;
    this.#columns = columns;
    this.#onRecord = onRecord;
    this.#wanted = separator;
    this.scan = new RecordScan(escapes);
  }

  get source(): string {
    const { end, start } = this.scan.record;
    return this.#pending.bytes.toString('utf8', start, end);
  }

  /** True if the current record is valid UTF-8. */
  get isSound(): boolean {
    const { end, start } = this.scan.record;
    return this.#isSound || isUtf8(this.#pending.bytes.subarray(start, end));
  }

  /** Throws invalid input (9) for an oversized record. */
  feed(chunk: Buffer): void {
    this.#pending.append(chunk);
    const whole = this.#pending.wholeLines();
    if (whole > 0) this.#take(whole, false);
    const { bytes, length } = this.#pending;
    if (length <= MAX_ROW_BYTES) return;
    const isClosed = this.scan.read(bytes, 0, length, this.separator);
    throw isClosed ? this.#errorAt(TOO_LONG, 0, 0) : this.#notClosed();
  }

  /** Throws invalid input (9) if the input ends inside a quoted cell, because that cell is incomplete. */
  end(): void {
    if (this.#pending.length > 0) this.#take(this.#pending.length, true);
  }

  /** Returns an invalid input error (9) that points to a byte of the current record, by default to its first byte. */
  error(message: string, offset = this.scan.record.start): KnownError {
    return this.#errorAt(message, this.scan.record.start, offset);
  }

  /** Returns the offset of a byte in the current record; -1 if the record does not contain the byte. */
  indexOf(byte: number): number {
    const { end, start } = this.scan.record;
    const at = this.#pending.bytes.subarray(start, end).indexOf(byte);
    return at < 0 ? -1 : start + at;
  }

  /** Passes each complete record to the sink, then drops the bytes of these records. */
  #take(length: number, isLast: boolean): void {
    const { scan } = this;
    const { bytes } = this.#pending;
    const { record } = scan;
    this.#isSound = isUtf8(bytes.subarray(0, length));
    let at = 0;
    if (!this.#hasBegun) {
      if (this.line === 1 && !this.hasMark) at = markLength(bytes);
      this.hasMark ||= at > 0;
      const header = skipSpace(bytes, at);
      const text = this.#wanted ?? separatorOf(bytes.toString('latin1', header, bytes.indexOf(LINE_FEED, header)));
      this.separator = text.charCodeAt(0);
    }
    while (at < length) {
      if (!scan.read(bytes, at, length, this.separator)) {
        if (isLast) throw this.#notClosed(at);
        break;
      }
      if (record.next > length && !isLast) break;
      // An empty line, or one with only separators, is not a record.
      if (record.end - record.start >= record.count) {
        this.#findHeader(bytes);
        this.#hasBegun = true;
        this.#onRecord();
      }
      this.line += record.lines;
      at = record.next;
    }
    this.#pending.drop(Math.min(at, length));
  }

  /**
   * Marks a header that would be read as a row, because its names could become identities. Throws invalid input (9) if
   * the lines do not end in LF or CRLF: the rest of the line break would become part of the last cell.
   */
  #findHeader(bytes: Buffer): void {
    const { record } = this.scan;
    const isNamed = this.#columns !== undefined;
    if (this.#hasBegun) {
      const start = record.start + (bytes[record.start] === MARK ? markLength(bytes.subarray(record.start)) : 0);
      const isSame = record.end - start === this.#header.length && matchesAt(bytes, start, this.#header);
      if (isSame && !isNamed) record.fault ??= { message: REPEATED, at: record.start };
      return;
    }
    if (this.source.replace(/"[^"]*"/g, '').includes('\r')) throw this.error(LONE_RETURN, this.indexOf(RETURN));
    if (!isNamed) this.#header = Buffer.from(bytes.subarray(record.start, record.end));
    else if (wordsOf(this.scan.texts()) === wordsOf(this.#columns))
      record.fault ??= { message: NAMES, at: record.start };
  }

  #notClosed(start = 0): KnownError {
    return this.#errorAt(NOT_CLOSED, start, start + this.scan.openAt);
  }

  #errorAt(message: string, start: number, offset: number): KnownError {
    const before = this.#pending.bytes.toString('utf8', start, offset);
    const { column, line } = placeAt(before, before.length);
    const place = { line: this.line + line - 1, column };
    return invalidInput(`${this.#name} cannot be read.`, [{ file: this.#name, ...place, path: '', message }]);
  }
}

const wordsOf = (names: readonly string[] = []): string => names.map((name) => name.trim().toLowerCase()).join();
