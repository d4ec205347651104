// Buffers the bytes of an input for a reader that turns them into rows.
import { LINE_FEED } from './scan.ts';

/** Reads an input in chunks and passes its rows to the packer. */
export interface RowReader {
  feed(chunk: Buffer): void;
  end(): void;
  /** True after an oversized element: it was rejected, and no row after it can be found. */
  isOver?: boolean;
}

export interface JsonSink {
  /** Line where the current row starts. Set only if positions are not line numbers. */
  line: number | undefined;
  /** The offset where reading can resume after the current row; -1 if it cannot. */
  offset: number;
  /** Set to true for rows that are known to be valid UTF-8, so that the sink need not check each of them. */
  isSound?: boolean;
  /** Column where the current row starts; updated only if already set. */
  column?: number;
  /** Accepts a row of JSON text, from `start` to `end`. The bytes may change later. */
  takeJson(bytes: Buffer, start: number, end: number, position: number): void;
  /** Reports a row that is invalid as a whole. */
  refuse(position: number, message: string, original: string): void;
}

/** No user needs a longer row, and platforms reject larger bodies. */
export const MAX_ROW_BYTES = 32 * 1024 * 1024;

export const SHOWN_BYTES = 200;

/** Unread bytes in one contiguous buffer, followed by a newline. */
export class Pending {
  bytes = Buffer.alloc(0);
  length = 0;

  append(chunk: Buffer): void {
    const needed = this.length + chunk.length + 1;
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(this.bytes.length * 2, needed * 2)));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    chunk.copy(this.bytes, this.length);
    this.length += chunk.length;
    this.bytes[this.length] = LINE_FEED;
  }

  wholeLines(): number {
    return this.bytes.subarray(0, this.length).lastIndexOf(LINE_FEED) + 1;
  }

  drop(count: number): void {
    this.bytes.copyWithin(0, count, this.length);
    this.length -= count;
    this.bytes[this.length] = LINE_FEED;
  }
}
