// A batch of a bulk run: its rows as the bytes of a JSON array, and their positions in the input.
import type { FieldIssue } from '../../contract/explain.ts';
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from './scan.ts';

export interface RowIssue {
  /** Path in a body, or column of a table; empty if the issue is about the whole row. */
  path: string;
  message: string;
}

/** Converts an issue in a body to an issue in the input. */
export type IssueLocator = (issue: FieldIssue) => RowIssue;

/** Converts a flat record to a body; returns undefined for a record that is already a body. */
export type RecordTable = (record: unknown) => { value: unknown; locate: IssueLocator } | undefined;

export interface RefusedRow {
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
  refused: RefusedRow[] = [];
  /** The batch covers the range (`from`, `to`] of the input. */
  from = 0;
  to = 0;
  /** Offset after the range, where reading can resume; -1 if it cannot resume. */
  endOffset = -1;
  #bytes: Buffer;
  /** End of each row; the next row starts after a comma. */
  readonly #ends: number[] = [];
  readonly #lines: number[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Batches are reused: the garbage collector could not keep up with a new buffer per request. */
  begin(file: number, from: number): void {
    this.file = file;
    this.from = from;
    this.to = from;
    this.endOffset = -1;
    this.refused = [];
    this.#ends.length = 0;
    this.#lines.length = 0;
    this.#bytes[0] = OPEN_BRACKET;
  }

  get count(): number {
    return this.#ends.length;
  }

  get size(): number {
    return (this.#ends.at(-1) ?? 0) + 1;
  }

  /** Returns the length of the longest body that fits without another allocation. */
  get capacity(): number {
    return this.#bytes.length;
  }

  line(index: number): number {
    return this.#lines[index] as number;
  }

  /** Adds a row from `start` to `end` of the source. The first row may exceed the capacity. */
  add(source: Buffer, start: number, end: number, position: number, line: number): void {
    if (this.count === 0 && end - start + 2 > this.#bytes.length) {
      this.#bytes = Buffer.allocUnsafe(end - start + 2);
      this.#bytes[0] = OPEN_BRACKET;
    }
    const at = this.size;
    const next = at + source.copy(this.#bytes, at, start, end);
    this.#bytes[next] = COMMA;
    this.#ends.push(next);
    this.#lines.push(line);
    this.to = position;
  }

  /** Returns the bytes of a row; they are overwritten when the batch is reused. */
  row(index: number): Buffer {
    return this.#bytes.subarray((this.#ends[index - 1] ?? 0) + 1, this.#ends[index]);
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
