// Finds the rows in a stream of JSON bytes: the lines of NDJSON, the elements of an array, or consecutive values. Holds
// at most one incomplete row.
import { isUtf8 } from 'node:buffer';
import { sizeText } from '../../kernel/words.ts';
import { type JsonSink, MAX_ROW_BYTES, Pending, type RowReader, SHOWN_BYTES } from './scan.ts';
import * as scan from './scan.ts';

const TOO_LONG = `the row is longer than ${sizeText(MAX_ROW_BYTES)}`;

/** Reads NDJSON. The first line has the number `line` + 1. `offset` is the first byte's position in the file, or -1. */
export function createLineReader(sink: JsonSink, begin: { line: number; offset: number }): RowReader {
  const pending = new Pending();
  let { line, offset } = begin;
  let skipping = false;

  function takeLine(start: number, end: number): void {
    line++;
    const { bytes } = pending;
    const begin = line === 1 ? start + scan.markLength(bytes.subarray(start)) : start;
    let first = begin;
    let last = end;
    while (first < last && scan.isSpace(bytes[first])) first++;
    while (last > first && scan.isSpace(bytes[last - 1])) last--;
    if (first === last) return;
    if (sink.column !== undefined) sink.column = first - begin + 1;
    if (skipping) {
      skipping = false;
      sink.reject(line, TOO_LONG, bytes.toString('utf8', first, Math.min(last, first + SHOWN_BYTES)));
    } else sink.takeJson(bytes, first, last, line);
  }

  return {
    feed: (chunk) => {
      pending.append(chunk);
      const { bytes } = pending;
      const whole = pending.wholeLines();
      sink.isSound = isUtf8(bytes.subarray(0, whole));
      let start = 0;
      while (start < whole) {
        const end = bytes.indexOf(scan.LINE_FEED, start);
        if (offset >= 0) sink.offset = offset + end + 1;
        takeLine(start, end);
        start = end + 1;
      }
      if (offset >= 0) offset += whole;
      sink.keep?.();
      pending.drop(whole);
      if (pending.length > MAX_ROW_BYTES) {
        // Keep the row's beginning for the error message.
        if (offset >= 0) offset += pending.length - SHOWN_BYTES;
        pending.length = SHOWN_BYTES;
        skipping = true;
      }
    },
    end: () => {
      if (offset >= 0) sink.offset = offset + pending.length;
      sink.isSound = false;
      if (pending.length > 0) takeLine(0, pending.length);
      sink.offset = -1;
    },
  };
}

/** Reads a JSON array, or values separated by whitespace. Positions are 1-based. The sink also gets line numbers. */
export class ElementReader implements RowReader {
  isOver = false;
  readonly #sink: JsonSink;
  readonly #pending = new Pending();
  #position = 0;
  /** Number of the current line. The sink receives the line where an element starts. */
  #line = 1;
  #inArray: boolean | undefined;
  /** The most recent token in the array. */
  #last: 'element' | 'comma' | undefined;
  #begun = false;
  /** Offset in `#pending` where the search continues; the current element starts at `#start` (-1 between elements). */
  #at = 0;
  #start = -1;
  #depth = 0;
  #inString = false;
  /** Number of characters in the line up to `#counted`. */
  #column = 0;
  #counted = 0;

  constructor(sink: JsonSink) {
    this.#sink = sink;
  }

  feed(chunk: Buffer): void {
    const pending = this.#pending;
    pending.append(chunk);
    this.#scan(false);
    const keep = this.#start < 0 ? Math.min(this.#at, pending.length) : this.#start;
    this.#countTo(keep);
    this.#sink.keep?.();
    pending.drop(keep);
    this.#counted -= keep;
    this.#at -= keep;
    if (this.#start >= 0) this.#start = 0;
    if (pending.length <= MAX_ROW_BYTES) return;
    const shown = pending.bytes.toString('utf8', 0, SHOWN_BYTES);
    this.#sink.reject(++this.#position, `${TOO_LONG}; the rest was not read`, shown);
    this.isOver = true;
  }

  end(): void {
    if (!this.#begun) this.#scan(true);
    if (this.#start >= 0) this.#take(this.#pending.length);
    else if (this.#inArray) {
      this.#markPlace();
      this.#sink.reject(this.#position + 1, 'the array is not closed: the file is truncated', '');
    }
  }

  #scan(isLast: boolean): void {
    const { bytes, length } = this.#pending;
    if (!this.#begun) {
      // A byte order mark may arrive in parts.
      if (length < 3 && !isLast) return;
      this.#begun = true;
      this.#at = scan.markLength(bytes);
      this.#counted = this.#at;
    }
    for (; this.#at < length; this.#at++) {
      const code = bytes[this.#at] as number;
      if (code === scan.LINE_FEED) {
        this.#line++;
        this.#column = 0;
        this.#counted = this.#at + 1;
      }
      if (this.#inString) {
        if (code === scan.BACKSLASH) this.#at++;
        else if (code === scan.QUOTE) this.#inString = false;
      } else if (this.#start >= 0 || this.#isBeginning(code)) this.#scanElement(code);
    }
  }

  /** True if an element starts here. */
  #isBeginning(code: number): boolean {
    if (scan.isSpace(code)) return false;
    this.#markPlace();
    if (this.#inArray === undefined && code === scan.OPEN_BRACKET) {
      this.#inArray = true;
      return false;
    }
    this.#inArray ??= false;
    if (this.#inArray && (code === scan.COMMA || code === scan.CLOSE_BRACKET)) {
      if (code === scan.COMMA ? this.#last !== 'element' : this.#last === 'comma')
        this.#sink.reject(++this.#position, 'an element is missing next to this comma or bracket', '');
      this.#inArray = code === scan.COMMA;
      this.#last = this.#inArray ? 'comma' : undefined;
      return false;
    }
    if (this.#inArray && this.#last === 'element')
      this.#sink.reject(++this.#position, 'a comma is missing before this element', '');
    this.#last = 'element';
    this.#start = this.#at;
    this.#depth = 0;
    return true;
  }

  #scanElement(code: number): void {
    if (code === scan.QUOTE) this.#inString = true;
    else if (code === scan.OPEN_BRACE || code === scan.OPEN_BRACKET) this.#depth++;
    else if (code === scan.CLOSE_BRACE || code === scan.CLOSE_BRACKET) {
      this.#depth--;
      if (this.#depth === 0) this.#take(this.#at + 1);
      else if (this.#depth < 0) {
        // The array ends with a bare value, which is not a row.
        this.#take(this.#at);
        this.#inArray = false;
      }
    } else if (this.#depth === 0 && (code === scan.COMMA || scan.isSpace(code))) {
      this.#take(this.#at);
      if (code === scan.COMMA) this.#last = 'comma';
    }
  }

  #take(end: number): void {
    this.#sink.takeJson(this.#pending.bytes, this.#start, end, ++this.#position);
    this.#start = -1;
  }

  #markPlace(): void {
    this.#sink.line = this.#line;
    if (this.#sink.column === undefined) return;
    this.#countTo(this.#at);
    this.#sink.column = this.#column + 1;
  }

  #countTo(end: number): void {
    if (this.#sink.column === undefined || this.#counted >= end) return;
    this.#column += this.#pending.bytes.toString('utf8', this.#counted, end).length;
    this.#counted = end;
  }
}
