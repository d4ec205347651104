// A batch holds its rows as the bytes of a JSON array, with the rejected rows of the same range of the input.
import type { Cells } from '../csv/record.ts';
import type { BodyWriter } from './body-writer.ts';
import type { RowIssue } from './read-row.ts';
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from './scan.ts';

export interface RejectedRow {
  position: number;
  /** Line where the row starts, or the number of the row if the input has no lines. */
  line: number;
  issues: readonly RowIssue[];
  original: string;
  /** True if the row is the text of a table record, not a body. */
  isTableRecord?: boolean;
}

export function reasonOf(issues: readonly RowIssue[]): string {
  return issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}

export class Batch {
  file = 0;
  /** Rejected rows in the same range of the input. */
  rejected: RejectedRow[] = [];
  /** The batch covers the range (`from`, `to`] of the input. */
  from = 0;
  to = 0;
  /** Offset after the range, where reading can resume; -1 if it cannot resume. */
  endOffset = -1;
  #bytes: Buffer;
  #count = 0;
  /** End of each row; the next row starts after a comma. */
  readonly #ends: number[] = [];
  readonly #lines: number[] = [];
  /** Holds the bytes of the rows after the first `#kept`, one byte apart; `#shift` converts its offsets to ours. */
  #source: Buffer | undefined;
  #sourceEnd = 0;
  #shift = 0;
  #kept = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Batches are reused: the garbage collector could not keep up with a new buffer per request. */
  begin(file: number, from: number): void {
    this.file = file;
    this.from = from;
    this.to = from;
    this.endOffset = -1;
    this.rejected = [];
    this.#count = 0;
    this.#kept = 0;
    this.#source = undefined;
    this.#bytes[0] = OPEN_BRACKET;
  }

  get count(): number {
    return this.#count;
  }

  get size(): number {
    return this.#startOf(this.#count);
  }

  /** Returns the length of the longest body that fits without another allocation. */
  get capacity(): number {
    return this.#bytes.length;
  }

  line(index: number): number {
    return this.#lines[index] as number;
  }

  /** Adds a row from `start` to `end` of the source. Its bytes must not change until `keep` is called. */
  add(source: Buffer, start: number, end: number, position: number, line: number): void {
    if (source !== this.#source || start !== this.#sourceEnd + 1) {
      this.keep();
      this.#makeRoom(end - start);
      this.#source = source;
      this.#shift = this.size - start;
    }
    this.#sourceEnd = end;
    this.accept(end + this.#shift, position, line);
  }

  /** Writes a row after the others, but does not add it. Returns its end, or FAIL. */
  write(writer: BodyWriter, cells: Cells, length: number): number {
    this.keep();
    this.#makeRoom(writer.room(length));
    return writer.write(cells, this.#bytes, this.size);
  }

  copyFreeBytes(end: number): Buffer {
    return Buffer.from(this.#bytes.subarray(this.size, end));
  }

  /** Adds the row that was written last. */
  accept(end: number, position: number, line: number): this {
    this.#ends[this.#count] = end;
    this.#lines[this.#count] = line;
    this.#count++;
    this.to = position;
    return this;
  }

  #makeRoom(length: number): void {
    const needed = this.size + length + 1;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(needed);
    this.#bytes.copy(larger, 0, 0, this.size);
    this.#bytes = larger;
  }

  /** Copies consecutive rows of the source at once, which is faster than one by one. */
  keep(): void {
    const start = this.#startOf(this.#kept);
    this.#source?.copy(this.#bytes, start, start - this.#shift, this.#sourceEnd);
    for (; this.#kept < this.count; this.#kept++) this.#bytes[this.#ends[this.#kept] as number] = COMMA;
    this.#source = undefined;
  }

  #startOf(row: number): number {
    return row === 0 ? 1 : (this.#ends[row - 1] as number) + 1;
  }

  /** Returns the bytes of a row; they are overwritten when the batch is reused. */
  row(index: number): Buffer {
    return this.#bytes.subarray(this.#startOf(index), this.#ends[index]);
  }

  /** Returns the body of the whole batch; its bytes are overwritten when the batch is reused. */
  body(): Buffer {
    const last = this.size - 1;
    this.#bytes[last] = CLOSE_BRACKET;
    return this.#bytes.subarray(0, last + 1);
  }

  bodyOf(rows: readonly number[]): Buffer {
    if (rows.length === this.count) return this.body();
    const parts = rows.flatMap((row, index) => [Buffer.from(index === 0 ? '[' : ','), this.row(row)]);
    return Buffer.concat([...parts, Buffer.from(']')]);
  }
}
