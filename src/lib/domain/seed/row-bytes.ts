// Bytes of an input on their way to becoming rows, whatever its format.
import { LINE_FEED } from './scan.ts';

/** What takes the bytes of an input, chunk by chunk, and gives its rows to the packer. */
export interface RowReader {
  feed(chunk: Buffer): void;
  /** The input has ended. */
  end(): void;
}

/** What rows of JSON are given to. */
export interface JsonTaker {
  /** Whether the bytes at hand are known to be UTF-8. */
  sound: boolean;
  /** The line on which the row at hand begins, for inputs whose positions are no lines. */
  line: number | undefined;
  /** Where in the input reading could begin again behind the row at hand; -1 where it cannot. */
  offset: number;
  /** The column at which the row at hand begins; only kept up where it is there. */
  column?: number;
  /** A row that is JSON text, from `start` to `end`, with a byte below 0x20 behind it. The bytes must stay until `keep`. */
  takeJson(bytes: Buffer, start: number, end: number, position: number): void;
  /** A row that is wrong as a whole. */
  refuse(position: number, message: string, original: string): void;
  /** The bytes of the rows that were taken are about to change. */
  keep(): void;
}

/** No user needs a longer row; a larger body is refused by any platform. */
export const MAX_ROW_BYTES = 32 * 1024 * 1024;

/** Of a row that cannot be read, so many are shown. */
export const SHOWN_BYTES = 200;

/** Bytes that are yet to be looked at, in one piece, with a line feed behind them. */
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

  /** How many bytes are lines with their ends. */
  wholeLines(): number {
    return this.bytes.subarray(0, this.length).lastIndexOf(LINE_FEED) + 1;
  }

  drop(count: number): void {
    this.bytes.copyWithin(0, count, this.length);
    this.length -= count;
    this.bytes[this.length] = LINE_FEED;
  }
}
