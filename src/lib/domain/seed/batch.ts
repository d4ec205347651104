// One batch of a bulk run: rows as the bytes of a JSON array, and the place of each in the input.
import type { FieldIssue } from '../../contract/explain.ts';
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from './scan.ts';

/** An issue of a row. */
export interface RowIssue {
  /** The field: its path in a body, or the column of a table; empty for the whole row. */
  path: string;
  message: string;
}

/** Turns an issue of a body into an issue of the input. */
export type IssueLocator = (issue: FieldIssue) => RowIssue;

/** Turns a flat record into a body. Undefined for a record that is a body itself. */
export type RecordTable = (record: unknown) => { value: unknown; locate: IssueLocator } | undefined;

/** A row that is not sent. */
export interface RefusedRow {
  position: number;
  /** The line on which it begins; its number if the input has no lines. */
  line: number;
  issues: readonly RowIssue[];
  /** The row as it was read. */
  original: string;
}

/** The issues of a row as one line. */
export function reasonOf(issues: readonly RowIssue[]): string {
  return issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}

/** Initial capacity; 100 rows are usual. */
const FEW_ROWS = 128;

export class Batch {
  /** Index of the input. */
  file = 0;
  /** Rows of the same stretch that the check rejected. */
  refused: RefusedRow[] = [];
  /** The stretch of the input is (`from`, `to`]. */
  from = 0;
  to = 0;
  /** Offset in the input after the stretch, where reading can resume; -1 if it cannot. */
  endOffset = -1;
  #count = 0;
  #bytes: Buffer;
  /** Positions of the rows in the input (lines, records or elements), ascending. */
  #positions = new Float64Array(FEW_ROWS);
  /** The lines on which rows begin, if positions are not lines. */
  #lines: number[] = [];
  /** The end of each row; the next row begins after a comma. */
  #ends = new Int32Array(FEW_ROWS);

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /**
   * Empties it for the rows of a file after `from`. Batches are reused: their buffers live as long as a request, and would
   * otherwise fill the memory faster than it is collected.
   */
  begin(file: number, from: number): void {
    this.file = file;
    this.from = from;
    this.to = from;
    this.endOffset = -1;
    this.#count = 0;
    if (this.refused.length > 0) this.refused = [];
    if (this.#lines.length > 0) this.#lines = [];
    this.#bytes[0] = OPEN_BRACKET;
  }

  get count(): number {
    return this.#count;
  }

  /** Bytes of the body. */
  get size(): number {
    return this.#count === 0 ? 1 : (this.#ends[this.#count - 1] as number) + 1;
  }

  /** Bytes of the longest body that needs no new memory. */
  get capacity(): number {
    return this.#bytes.length;
  }

  /** The position of a row in the input. */
  position(index: number): number {
    return this.#positions[index] as number;
  }

  /** The line on which a row begins; its number if the input has no lines. */
  line(index: number): number {
    return this.#lines[index] ?? this.position(index);
  }

  /** Sets the line on which the last row begins. */
  noteLine(line: number): void {
    this.#lines[this.#count - 1] = line;
  }

  /** Whether a row of `length` bytes fits. A batch without rows grows for any. */
  hasRoomFor(length: number): boolean {
    return this.size + length + 1 <= this.#bytes.length;
  }

  add(source: Buffer, start: number, end: number, position: number): void {
    const at = this.#place(end - start);
    source.copy(this.#bytes, at, start, end);
    this.#added(at + end - start, position);
  }

  /** `length` is the number of bytes of the text. */
  addText(text: string, length: number, position: number): void {
    const at = this.#place(length);
    this.#added(at + this.#bytes.write(text, at, 'utf8'), position);
  }

  /** Returns false and adds nothing if `write` returns a negative number. There must be room for what it writes. */
  addWritten(write: (out: Buffer, at: number) => number, position: number): boolean {
    const end = write(this.#bytes, this.size);
    if (end < 0) return false;
    this.#added(end, position);
    return true;
  }

  #place(length: number): number {
    if (this.count > 0) return this.size;
    if (length + 2 > this.#bytes.length) {
      this.#bytes = Buffer.allocUnsafe(length + 2);
      this.#bytes[0] = OPEN_BRACKET;
    }
    return 1;
  }

  #added(end: number, position: number): void {
    this.#bytes[end] = COMMA;
    if (this.#count === this.#ends.length) this.#grow();
    this.#ends[this.#count] = end;
    this.#positions[this.#count] = position;
    this.#count++;
    this.to = position;
  }

  #grow(): void {
    const [ends, positions] = [this.#ends, this.#positions];
    this.#ends = new Int32Array(ends.length * 2);
    this.#ends.set(ends);
    this.#positions = new Float64Array(positions.length * 2);
    this.#positions.set(positions);
  }

  /** The bytes of one row; they are the batch's own. */
  row(index: number): Buffer {
    return this.#bytes.subarray(index === 0 ? 1 : (this.#ends[index - 1] as number) + 1, this.#ends[index]);
  }

  /** The body of the whole batch; the bytes are the batch's own. */
  body(): Buffer {
    const last = this.size - 1;
    this.#bytes[last] = CLOSE_BRACKET;
    return this.#bytes.subarray(0, last + 1);
  }

  /** The body of some of its rows. */
  bodyOf(rows: readonly number[]): Buffer {
    if (rows.length === this.count) return this.body();
    const parts = rows.flatMap((row, index) => [Buffer.from(index === 0 ? '[' : ','), this.row(row)]);
    return Buffer.concat([...parts, Buffer.from(']')]);
  }
}
