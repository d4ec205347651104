// Packs rows into batches. Each row is checked as text and copied, or parsed and checked, or rejected with a reason. A
// batch holds its rows as the bytes of a JSON array, and their positions in the input.
import { isUtf8 } from 'node:buffer';
import { type FieldIssue, showPath } from '../../contract/explain.ts';
import { stringifyJson } from '../../kernel/json.ts';
import { checkRow, readRecord, type ReadRow, type RowRules } from './read-row.ts';
import { createRowCheck, type RowCheck } from './row-check.ts';
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from './scan.ts';

/** Limits of a batch; both shrink permanently when the platform rejects a body as too large. */
export interface BatchLimits {
  rows: number;
  bytes: number;
}

const MAX_REFUSED = 1000;

const MAX_ISSUES = 5;

const inBody: IssueLocator = ({ path, message }) => ({ path: showPath(path), message });

export class RowPacker {
  /** Closed batches, in input order, for the caller to remove. */
  ready: Batch[] = [];
  /** Converts records of the current input to bodies; undefined if they already are bodies. */
  table: RecordTable | undefined;
  /** Line where the current row starts; set only if positions are not line numbers. */
  line: number | undefined;
  /** Offset where reading can resume after the current row; -1 if it cannot. */
  offset = -1;
  /** True if the reader has checked that the current rows are valid UTF-8. */
  isSound = false;
  readonly #limits: BatchLimits;
  readonly #rules: RowRules;
  readonly #check: RowCheck;
  /** True if an earlier run completed the row at a position. */
  readonly #isDone: (file: number, position: number) => boolean;
  readonly #spare: Batch[] = [];
  readonly #bufferBytes: number;
  #open: Batch | undefined;
  #written = Buffer.alloc(0);
  #file = 0;
  #last = 0;

  constructor(limits: BatchLimits, rules: RowRules, isDone: (file: number, position: number) => boolean) {
    this.#limits = limits;
    this.#rules = rules;
    this.#check = createRowCheck(rules);
    this.#isDone = isDone;
    this.#bufferBytes = limits.bytes;
  }

  /** Starts an input. Positions up to `last` are already complete. */
  begin(file: number, last: number): void {
    this.flush();
    this.line = undefined;
    this.table = undefined;
    this.isSound = false;
    this.#file = file;
    this.#last = last;
  }

  takeJson(bytes: Buffer, start: number, end: number, position: number): void {
    if (this.#isDone(this.#file, position)) return;
    if (!this.isSound && !isUtf8(bytes.subarray(start, end)))
      this.refuse(position, 'contains invalid UTF-8', bytes.toString('utf8', start, end));
    else if (this.#check(bytes, start, end)) this.#add(bytes, start, end, position);
    else this.#takeText(bytes.toString('utf8', start, end), position);
  }

  /** Adds a row that `write` writes as JSON, in at most `room` bytes. Returns false if `write` returns FAIL. */
  takeWritten(room: number, position: number, write: (out: Buffer) => number): boolean {
    if (this.#isDone(this.#file, position)) return true;
    if (this.#written.length < room) this.#written = Buffer.allocUnsafeSlow(room);
    const end = write(this.#written);
    if (end >= 0) this.#add(this.#written, 0, end, position);
    return end >= 0;
  }

  takeValue(value: unknown, position: number, locate: IssueLocator = inBody): void {
    if (this.#isDone(this.#file, position)) return;
    this.#take(checkRow(value, this.#rules), position, stringifyJson(value), locate);
  }

  #takeText(text: string, position: number): void {
    const read = readRecord(text);
    if ('message' in read) {
      this.refuse(position, read.message, read.text, read.isTableRecord ?? this.table !== undefined);
      return;
    }
    const row = this.table?.(read.value);
    if (row === undefined) this.#take(checkRow(read.value, this.#rules), position, read.text, inBody);
    else this.takeValue(row.value, position, row.locate);
  }

  refuse(position: number, message: string, original: string, isTableRecord = false): void {
    this.refuseWith(position, [{ path: '', message }], original, isTableRecord);
  }

  refuseWith(position: number, issues: readonly RowIssue[], original: string, isTableRecord = false): void {
    if (this.#isDone(this.#file, position)) return;
    const batch = (this.#open ??= this.#newBatch());
    batch.refused.push({ position, line: this.line ?? position, issues: tellable(issues), original, isTableRecord });
    batch.to = position;
    batch.endOffset = this.offset;
    if (batch.refused.length >= MAX_REFUSED) this.flush();
  }

  flush(): void {
    const batch = this.#open;
    if (batch === undefined) return;
    this.#last = batch.to;
    this.#open = undefined;
    this.ready.push(batch);
  }

  /** Makes a completed batch available for reuse: the caller must no longer read it. */
  recycle(batch: Batch): void {
    if (batch.capacity === this.#bufferBytes) this.#spare.push(batch);
  }

  #take(read: ReadRow, position: number, original: string, locate: IssueLocator): void {
    if ('issues' in read) {
      this.refuseWith(position, read.issues.map(locate), original);
      return;
    }
    const row = Buffer.from(read.text);
    this.#add(row, 0, row.length, position);
  }

  #add(bytes: Buffer, start: number, end: number, position: number): void {
    const { bytes: most, rows } = this.#limits;
    if (this.#open !== undefined && this.#open.count > 0 && this.#open.size + end - start + 1 > most) this.flush();
    const batch = (this.#open ??= this.#newBatch());
    batch.add(bytes, start, end, position, this.line ?? position);
    batch.endOffset = this.offset;
    if (batch.count >= rows) this.flush();
  }

  #newBatch(): Batch {
    const batch = this.#spare.pop() ?? new Batch(Buffer.allocUnsafeSlow(this.#bufferBytes));
    batch.begin(this.#file, this.#last);
    return batch;
  }
}

/** Returns each issue once, and at most `MAX_ISSUES`: every attribute of a row reports the row's invalid date. */
function tellable(issues: readonly RowIssue[]): RowIssue[] {
  return [...new Map(issues.map((issue) => [`${issue.path}\n${issue.message}`, issue])).values()].slice(0, MAX_ISSUES);
}

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
