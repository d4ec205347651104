// One batch of a bulk run: rows side by side in the bytes of a JSON array, and where in the input each came from.
import type { FieldIssue } from '../../contract/explain.ts';
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from './scan.ts';

/** What is wrong with a row, or in one place of it. */
export interface RowIssue {
  /** The field: the way to it in a body, or the column of a table as it is called there; empty for the whole row. */
  path: string;
  message: string;
}

/** Says an issue of a body in the words of the input. */
export type IssueLocator = (issue: FieldIssue) => RowIssue;

/** Makes a body of a flat record: the body and how its issues are told. Undefined for a record that is a body itself. */
export type RecordTable = (record: unknown) => { value: unknown; locate: IssueLocator } | undefined;

/** A row that is not sent. */
export interface RefusedRow {
  position: number;
  /** The line on which it begins; its number where the input has no lines. */
  line: number;
  issues: readonly RowIssue[];
  /** The row as it was read. */
  original: string;
}

/** The issues of a row as one line. */
export function reasonOf(issues: readonly RowIssue[]): string {
  return issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}

/** Room for so many rows to begin with; 100 are the usual size. */
const FEW_ROWS = 128;

export class Batch {
  /** Which input, in the order of the command line. */
  file = 0;
  /** Rows that the check refused on the way: they belong to the same stretch of the input. */
  refused: RefusedRow[] = [];
  /** The stretch of the input is (`from`, `to`]. */
  from = 0;
  to = 0;
  /** Offset in the input behind the stretch, where reading can begin again; -1 where it cannot. */
  endOffset = -1;
  #count = 0;
  #bytes: Buffer;
  /** Rows that lie side by side in what is read are copied at once: where there, and where here. */
  #source: Buffer | undefined;
  #sourceStart = 0;
  #sourceEnd = 0;
  #copyTo = 0;
  /** Positions of the rows in the input (lines, records or elements), ascending. */
  #positions = new Float64Array(FEW_ROWS);
  /** The lines on which rows begin, where positions do not tell them: several may begin on one. */
  #lines: number[] = [];
  /** Behind each row; the row after it begins one further, behind the comma. */
  #ends = new Int32Array(FEW_ROWS);

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /**
   * Empties it for the rows of a file behind `from`. A batch serves again and again: what lives as long as a request
   * does would otherwise fill the memory faster than it is tidied up.
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

  /** Where a row stood in the input. */
  position(index: number): number {
    return this.#positions[index] as number;
  }

  /** The line on which a row begins; its number where the input has no lines. */
  line(index: number): number {
    return this.#lines[index] ?? this.position(index);
  }

  /** Notes on which line the last row begins. */
  noteLine(line: number): void {
    this.#lines[this.#count - 1] = line;
  }

  /** Whether a row of so many bytes still goes in. A batch without rows makes room for any. */
  hasRoomFor(length: number): boolean {
    return this.size + length + 1 <= this.#bytes.length;
  }

  add(source: Buffer, start: number, end: number, position: number): void {
    this.addBorrowed(source, start, end, position);
    this.keep();
  }

  /** The bytes are the source's until `keep`, which must come before they change there. */
  addBorrowed(source: Buffer, start: number, end: number, position: number): void {
    if (source !== this.#source || start !== this.#sourceEnd + 1) {
      this.keep();
      this.#copyTo = this.#place(end - start);
      this.#source = source;
      this.#sourceStart = start;
    }
    this.#sourceEnd = end;
    this.#added(this.#copyTo + end - this.#sourceStart, position);
  }

  /** Copies what is still the source's. */
  keep(): void {
    if (this.#source === undefined) return;
    this.#source.copy(this.#bytes, this.#copyTo, this.#sourceStart, this.#sourceEnd);
    this.#source = undefined;
    // What stood between the rows there.
    for (let row = this.#count - 1; row >= 0; row--) {
      const end = this.#ends[row] as number;
      if (end < this.#copyTo) break;
      this.#bytes[end] = COMMA;
    }
  }

  /** `length` is how many bytes the text takes. */
  addText(text: string, length: number, position: number): void {
    this.keep();
    const at = this.#place(length);
    this.#added(at + this.#bytes.write(text, at, 'utf8'), position);
  }

  /** False, and nothing is added, when `write` gives a negative number. There must be room for what it writes. */
  addWritten(write: (out: Buffer, at: number) => number, position: number): boolean {
    this.keep();
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
