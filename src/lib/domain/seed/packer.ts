// Packs rows into batches. Each row is checked as text and copied, or parsed and checked, or rejected with a reason. A
// batch holds its rows as the bytes of a JSON array, and their positions in the input.
import { isUtf8 } from 'node:buffer';
import { type FieldIssue, showPath } from '../../contract/explain.ts';
import { stringifyJson } from '../../kernel/json.ts';
import type { Cells } from '../csv/record.ts';
import { Batch } from './batch.ts';
import { FAIL } from './scan.ts';
import type { BodyWriter } from './body-writer.ts';
import { checkRow, readRecord, type ReadRow, type RowIssue, type RowRules } from './read-row.ts';
import { RowShapes } from './row-shapes.ts';

/** Limits of a batch; both shrink permanently when the platform rejects a body as too large. */
export interface BatchLimits {
  rows: number;
  bytes: number;
}

const MAX_REJECTED = 1000;

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
  readonly #shapes: RowShapes;
  /** True if an earlier run completed the row at a position. */
  readonly #isDone: (file: number, position: number) => boolean;
  readonly #spare: Batch[] = [];
  readonly #bufferBytes: number;
  #open: Batch | undefined;
  #file = 0;
  #last = 0;

  constructor(limits: BatchLimits, rules: RowRules, isDone: (file: number, position: number) => boolean) {
    this.#limits = limits;
    this.#rules = rules;
    this.#shapes = new RowShapes(rules);
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
      this.reject(position, 'contains invalid UTF-8', bytes.toString('utf8', start, end));
    else if (this.#shapes.matches(bytes, start, end)) this.#add(bytes, start, end, position);
    else this.#takeUnknown(bytes, start, end, position);
  }

  /** Adds a row that the writer writes from `length` bytes of cells. Returns false if it needs the exact check. */
  takeCells(writer: BodyWriter, cells: Cells, length: number, position: number): boolean {
    if (this.#isDone(this.#file, position)) return true;
    const batch = (this.#open ??= this.#newBatch());
    const end = batch.write(writer, cells, length);
    if (end === FAIL) return false;
    if (batch.count > 0 && end + 1 > this.#limits.bytes) {
      const row = batch.copyFreeBytes(end);
      this.#add(row, 0, row.length, position);
    } else this.#added(batch.accept(end, position, this.line ?? position));
    return true;
  }

  takeValue(value: unknown, position: number, locate: IssueLocator = inBody): void {
    if (this.#isDone(this.#file, position)) return;
    this.#take(checkRow(value, this.#rules), position, stringifyJson(value), locate);
  }

  /** Makes the exact check. If the row is valid, the next rows of its shape no longer need this check. */
  #takeUnknown(bytes: Buffer, start: number, end: number, position: number): void {
    const text = bytes.toString('utf8', start, end);
    const read = readRecord(text);
    if ('message' in read) {
      this.reject(position, read.message, read.text, read.isTableRecord ?? this.table !== undefined);
      return;
    }
    const row = this.table?.(read.value);
    if (row !== undefined) {
      this.takeValue(row.value, position, row.locate);
      return;
    }
    const checked = checkRow(read.value, this.#rules);
    const isKnown = 'text' in checked && read.text === text && this.#shapes.learn(bytes, start, end);
    if (isKnown) this.#add(bytes, start, end, position);
    else this.#take(checked, position, read.text, inBody);
  }

  reject(position: number, message: string, original: string, isTableRecord = false): void {
    this.rejectWith(position, [{ path: '', message }], original, isTableRecord);
  }

  rejectWith(position: number, issues: readonly RowIssue[], original: string, isTableRecord = false): void {
    if (this.#isDone(this.#file, position)) return;
    const batch = (this.#open ??= this.#newBatch());
    batch.rejected.push({
      position,
      line: this.line ?? position,
      issues: firstIssues(issues),
      original,
      isTableRecord,
    });
    batch.to = position;
    batch.endOffset = this.offset;
    if (batch.rejected.length >= MAX_REJECTED) this.flush();
  }

  /** Copies the rows whose bytes were not copied yet. Must be called before these bytes change. */
  keep(): void {
    this.#open?.keep();
  }

  flush(): void {
    const batch = this.#open;
    if (batch === undefined) return;
    batch.keep();
    this.#last = batch.to;
    this.#open = undefined;
    this.ready.push(batch);
  }

  /** Makes a completed batch available for reuse: the caller must no longer read it. */
  recycle(batch: Batch): void {
    // Almost every full batch of a table has grown a little, but one with a very long row would keep its memory.
    if (batch.capacity < 2 * this.#bufferBytes) this.#spare.push(batch);
  }

  #take(read: ReadRow, position: number, original: string, locate: IssueLocator): void {
    if ('issues' in read) {
      this.rejectWith(position, read.issues.map(locate), original);
      return;
    }
    const row = Buffer.from(read.text);
    this.#add(row, 0, row.length, position);
  }

  #add(bytes: Buffer, start: number, end: number, position: number): void {
    const open = this.#open;
    if (open !== undefined && open.count > 0 && open.size + end - start + 1 > this.#limits.bytes) this.flush();
    const batch = (this.#open ??= this.#newBatch());
    batch.add(bytes, start, end, position, this.line ?? position);
    this.#added(batch);
  }

  #added(batch: Batch): void {
    batch.endOffset = this.offset;
    if (batch.count >= this.#limits.rows) this.flush();
  }

  #newBatch(): Batch {
    const batch = this.#spare.pop() ?? new Batch(Buffer.allocUnsafeSlow(this.#bufferBytes));
    batch.begin(this.#file, this.#last);
    return batch;
  }
}

/** Returns each issue once, and at most `MAX_ISSUES`: every attribute of a row reports the row's invalid date. */
function firstIssues(issues: readonly RowIssue[]): RowIssue[] {
  return [...new Map(issues.map((issue) => [`${issue.path}\n${issue.message}`, issue])).values()].slice(0, MAX_ISSUES);
}

/** Converts an issue in a body to an issue in the input. */
export type IssueLocator = (issue: FieldIssue) => RowIssue;

/** Converts a flat record to a body; returns undefined for a record that is already a body. */
export type RecordTable = (record: unknown) => { value: unknown; locate: IssueLocator } | undefined;
