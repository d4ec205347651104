// Finds the rows in a stream of JSON bytes: the lines of NDJSON, or the elements of an array (or values one after the
// other). Holds at most one row that is not complete yet.
import { type JsonTaker, MAX_ROW_BYTES, Pending, type RowReader, SHOWN_BYTES } from './row-bytes.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  isSpace,
  LINE_FEED,
  markLength,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './scan.ts';

const TOO_LONG = `the row is longer than ${MAX_ROW_BYTES / 1024 / 1024} MB`;

/** NDJSON. Positions are line numbers after `line`; `offset` is where the bytes begin in the file, or -1. */
export function createLineReader(taker: JsonTaker, begin: { line: number; offset: number }): RowReader {
  const pending = new Pending();
  let { line, offset } = begin;
  /** In a line that is too long. */
  let skipping = false;

  function takeLine(start: number, end: number): void {
    line++;
    const { bytes } = pending;
    const begin = line === 1 ? start + markLength(bytes.subarray(start)) : start;
    let first = begin;
    let last = end;
    while (first < last && isSpace(bytes[first])) first++;
    while (last > first && isSpace(bytes[last - 1])) last--;
    if (first === last) return;
    if (taker.column !== undefined) taker.column = first - begin + 1;
    if (skipping) {
      skipping = false;
      taker.refuse(line, TOO_LONG, bytes.toString('utf8', first, Math.min(last, first + SHOWN_BYTES)));
    } else taker.takeJson(bytes, first, last, line);
  }

  return {
    feed: (chunk) => {
      pending.append(chunk);
      const { bytes } = pending;
      const whole = pending.wholeLines();
      let start = 0;
      while (start < whole) {
        const end = bytes.indexOf(LINE_FEED, start);
        if (offset >= 0) taker.offset = offset + end + 1;
        takeLine(start, end);
        start = end + 1;
      }
      if (offset >= 0) offset += whole;
      pending.drop(whole);
      if (pending.length > MAX_ROW_BYTES) {
        // The beginning is for the message.
        if (offset >= 0) offset += pending.length - SHOWN_BYTES;
        pending.length = SHOWN_BYTES;
        skipping = true;
      }
    },
    end: () => {
      if (offset >= 0) taker.offset = offset + pending.length;
      if (pending.length > 0) takeLine(0, pending.length);
      taker.offset = -1;
    },
  };
}

/** A JSON array, or values with spaces between them. Positions are numbers from 1; the taker also gets lines. */
export function createElementReader(taker: JsonTaker): RowReader {
  const pending = new Pending();
  let position = 0;
  /** The current line; the taker gets the line on which an element begins. */
  let line = 1;
  let inArray: boolean | undefined;
  /** The last token of the array. */
  let last: 'element' | 'comma' | undefined;
  let begun = false;
  /** The search continues here in `pending`; the element began at `start` (-1: between elements). */
  let at = 0;
  let start = -1;
  let depth = 0;
  let inString = false;
  /** Characters of the line up to `counted`. */
  let column = 0;
  let counted = 0;

  function countTo(end: number): void {
    if (taker.column === undefined || counted >= end) return;
    column += pending.bytes.toString('utf8', counted, end).length;
    counted = end;
  }

  function markPlace(): void {
    taker.line = line;
    if (taker.column === undefined) return;
    countTo(at);
    taker.column = column + 1;
  }

  function take(end: number): void {
    position++;
    const { bytes } = pending;
    taker.takeJson(bytes, start, end, position);
    start = -1;
  }

  function scan(isLast: boolean): void {
    const { bytes, length } = pending;
    if (!begun) {
      // A byte-order mark may come in parts.
      if (length < 3 && !isLast) return;
      begun = true;
      at = markLength(bytes);
      counted = at;
    }
    for (; at < length; at++) {
      const code = bytes[at] as number;
      if (code === LINE_FEED) {
        line++;
        column = 0;
        counted = at + 1;
      }
      if (inString) {
        if (code === BACKSLASH) at++;
        else if (code === QUOTE) inString = false;
        continue;
      }
      if (start < 0) {
        if (isSpace(code)) continue;
        markPlace();
        if (inArray === undefined && code === OPEN_BRACKET) {
          inArray = true;
          continue;
        }
        inArray ??= false;
        if (inArray && (code === COMMA || code === CLOSE_BRACKET)) {
          if (code === COMMA ? last !== 'element' : last === 'comma')
            taker.refuse(++position, 'an element is missing beside this comma or bracket', '');
          inArray = code === COMMA;
          last = inArray ? 'comma' : undefined;
          continue;
        }
        if (inArray && last === 'element') taker.refuse(++position, 'a comma is missing before this element', '');
        last = 'element';
        start = at;
        depth = 0;
      }
      if (code === QUOTE) inString = true;
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        depth--;
        if (depth === 0) take(at + 1);
        else if (depth < 0) {
          // The array ends after a bare value, which is not a row.
          take(at);
          inArray = false;
        }
      } else if (depth === 0 && (code === COMMA || isSpace(code))) {
        take(at);
        if (code === COMMA) last = 'comma';
      }
    }
  }

  return {
    feed: (chunk) => {
      pending.append(chunk);
      scan(false);
      const keep = start < 0 ? Math.min(at, pending.length) : start;
      countTo(keep);
      pending.drop(keep);
      counted -= keep;
      at -= keep;
      if (start >= 0) start = 0;
      if (pending.length > MAX_ROW_BYTES) {
        position++;
        taker.refuse(
          position,
          `${TOO_LONG}; what follows was not read`,
          pending.bytes.toString('utf8', 0, SHOWN_BYTES),
        );
        throw new RowTooLong();
      }
    },
    end: () => {
      if (!begun) scan(true);
      if (start >= 0) take(pending.length);
      else if (inArray) {
        markPlace();
        taker.refuse(position + 1, 'the array is not closed: the file is cut off', '');
      }
    },
  };
}

/** An element is too long: no element after it can be found. */
export class RowTooLong extends Error {}
