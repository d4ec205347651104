// Buffers the bytes of an input, and scans numbers and keys in them. A scan returns the offset after its token, or FAIL.
// Each token must be followed by a byte that cannot be part of it, such as a newline, so that no scan reads past the end.

import { isCalendarDay } from '../../kernel/timestamps.ts';
import { largest } from '../../kernel/words.ts';

export const FAIL = -1;

export const LINE_FEED = 0x0a;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const BACKSLASH = 0x5c;
const UNDERSCORE = 0x5f;
export const MINUS = 0x2d;
export const POINT = 0x2e;
const PLUS = 0x2b;
export const ZERO = 0x30;
const NINE = 0x39;
export const SPACE = 0x20;
const DELETE = 0x7f;
/** First byte of the C1 control characters, and of some letters. */
const C1_LEAD = 0xc2;
/** Distinguishes a small letter from its capital letter. */
const CASE_BIT = 0x20;
const LETTER_A = 0x61;
const LETTER_E = 0x65;
const LETTER_F = 0x66;

/** The contract's limit in characters, each of which takes at least one byte. */
const MAX_IDENTITY_BYTES = 4096;
/** The most digits with which every number fits a 64-bit integer. */
export const MAX_WHOLE_DIGITS = 18;

/** Objects with more keys than this go to the exact check. */
const MAX_COMPARED_KEYS = 16;

export function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at++;
  return at;
}

export function isSpace(code: number | undefined): boolean {
  return code === SPACE || code === LINE_FEED || code === 0x0d || code === 0x09;
}

/** Returns the length of the byte order mark at the start of an input; 0 if there is no mark. */
export function markLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

export function matchesAt(bytes: Uint8Array, at: number, word: Uint8Array): boolean {
  for (let index = 0; index < word.length; index++) if (bytes[at + index] !== word[index]) return false;
  return true;
}

/** True if a name starts with `__`. Some of these names are special in JavaScript, so they go to the exact check. */
export function isReserved(bytes: Uint8Array, start: number): boolean {
  return bytes[start] === UNDERSCORE && bytes[start + 1] === UNDERSCORE;
}

/** Scans digits with any leading zeros, and an optional sign and fraction. */
export function scanDecimal(bytes: Uint8Array, start: number): number {
  const digits = bytes[start] === MINUS ? start + 1 : start;
  const at = scanDigits(bytes, digits);
  if (at === digits) return FAIL;
  if (bytes[at] !== POINT) return at;
  const end = scanDigits(bytes, at + 1);
  return end === at + 1 ? FAIL : end;
}

/** Scans an unquoted number that is guaranteed to fit a signed 64-bit integer. */
export function scanLong(bytes: Uint8Array, start: number): number {
  const negative = bytes[start] === MINUS;
  const digits = negative ? start + 1 : start;
  const at = scanDigits(bytes, digits);
  const length = at - digits;
  if (length === 0 || length > 19 || (bytes[digits] === ZERO && (length > 1 || negative))) return FAIL;
  // Numbers near -9223372036854775808 and 9223372036854775807 go to the exact check.
  return length === 19 && bytes[digits] === 0x39 && (bytes[digits + 1] as number) >= 0x32 ? FAIL : at;
}

export function scanDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let code = bytes[at] as number; code >= 0x30 && code <= 0x39; code = bytes[at] as number) at++;
  return at;
}

export function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= ZERO && code <= NINE;
}

/** Scans a date such as `"2026-01-31"`. */
export function scanDate(bytes: Uint8Array, start: number): number {
  const [year, month, day, end] = [start + 1, start + 6, start + 9, start + 12];
  if (bytes[start] !== QUOTE || bytes[end - 1] !== QUOTE) return FAIL;
  if (bytes[month - 1] !== MINUS || bytes[day - 1] !== MINUS) return FAIL;
  const isDate = isCalendarDay(numberAt(bytes, year, 4), numberAt(bytes, month, 2), numberAt(bytes, day, 2));
  return isDate ? end : FAIL;
}

export function isHexDigit(code: number | undefined): boolean {
  const letter = (code as number) | CASE_BIT;
  return isDigit(code) || (letter >= LETTER_A && letter <= LETTER_F);
}

/** Returns a number of `length` digits; NaN if another character is among them. */
function numberAt(bytes: Uint8Array, start: number, length: number): number {
  let number = 0;
  for (let at = start; at < start + length; at++)
    number = isDigit(bytes[at]) ? number * 10 + (bytes[at] as number) - ZERO : NaN;
  return number;
}

/**
 * False for text with outer spaces or possible control characters, for numbers with a fraction or an exponent, and for
 * text that may be too long. Such identities go to the exact check.
 */
export function isUsualIdentity(bytes: Uint8Array, start: number, end: number): boolean {
  if (start === end) return true;
  if (end - start > MAX_IDENTITY_BYTES) return false;
  if (isOuter(bytes[start]) || isOuter(bytes[end - 1])) return false;
  for (let at = start; at < end; at++) {
    const code = bytes[at] as number;
    if (code < SPACE || code === DELETE || code === C1_LEAD) return false;
  }
  const digits = bytes[start] === MINUS ? start + 1 : start;
  const at = scanDigits(bytes, digits);
  if (at === digits || at >= end) return true;
  const code = bytes[at] as number;
  return code !== POINT && code !== COMMA && !((code | CASE_BIT) === LETTER_E && bytes[at + 1] === PLUS);
}

/** True for a space, and for any character outside ASCII, because it may be a kind of space. */
function isOuter(code: number | undefined): boolean {
  return code === SPACE || (code as number) > DELETE;
}

/** Returns a function that finds the word that equals a range of bytes, if any. */
export function createWordFinder(words: readonly string[]) {
  const known = words.map((text) => ({ text, bytes: Buffer.from(text) }));
  const longest = largest(known.map(({ bytes }) => bytes.length));
  return (bytes: Uint8Array, start: number, end: number): string | undefined => {
    if (start === end || end - start > longest) return undefined;
    for (const { text, bytes: wanted } of known)
      if (wanted.length === end - start && matchesAt(bytes, start, wanted)) return text;
    return undefined;
  };
}

const keyStarts = new Int32Array(MAX_COMPARED_KEYS);
const keyEnds = new Int32Array(MAX_COMPARED_KEYS);

/** Adds key number `count` of an object. Returns false for a duplicate, or if there are too many keys to compare. */
export function isNewKey(bytes: Uint8Array, count: number, start: number, end: number): boolean {
  if (count >= MAX_COMPARED_KEYS) return false;
  for (let index = 0; index < count; index++) {
    const other = keyStarts[index] as number;
    if ((keyEnds[index] as number) - other !== end - start) continue;
    let same = start;
    while (same < end && bytes[same] === bytes[other + same - start]) same++;
    if (same === end) return false;
  }
  keyStarts[count] = start;
  keyEnds[count] = end;
  return true;
}

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
  /** Accepts a row of JSON text, from `start` to `end`. The bytes must not change until `keep` is called. */
  takeJson(bytes: Buffer, start: number, end: number, position: number): void;
  keep?(): void;
  /** Reports a row that is invalid as a whole. */
  reject(position: number, message: string, original: string): void;
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
