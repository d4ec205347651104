// Writes single cells of a table as JSON, bytes to bytes. Each takes where its cell begins and ends, and returns the
// offset after what it wrote, or FAIL if the cell needs the exact check.
import {
  BACKSLASH,
  COLON,
  COMMA,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  FAIL,
  isNewKey,
  QUOTE,
  scanDecimal,
  isReserved,
  scanDigits,
  matchesAt,
  ZERO,
} from './scan.ts';

const PIPE = 0x7c;
const EQUALS = 0x3d;

/** More digits are left to the exact check. */
const MAX_DIGITS = 18;
const MAX_NUMBER_BYTES = 36;

export function copyBytes(bytes: Buffer, start: number, end: number, out: Buffer, begin: number): number {
  let to = begin;
  for (let at = start; at < end; at++) out[to++] = bytes[at] as number;
  return to;
}

/** The inside of a JSON string. Control characters are left to the exact check. */
export function writeText(bytes: Buffer, start: number, end: number, out: Buffer, begin: number): number {
  let to = begin;
  for (let at = start; at < end; at++) {
    const code = bytes[at] as number;
    if (code === QUOTE || code === BACKSLASH) out[to++] = BACKSLASH;
    else if (code < 0x20) return FAIL;
    out[to++] = code;
  }
  return to;
}

/** `a|b` after `["`. */
export function writeList(bytes: Buffer, start: number, end: number, out: Buffer, begin: number): number {
  let to = begin;
  for (let at = start; at < end; at++) {
    const code = bytes[at] as number;
    if (code === PIPE) {
      out[to++] = QUOTE;
      out[to++] = COMMA;
      out[to++] = QUOTE;
      continue;
    }
    if (code === QUOTE || code === BACKSLASH) out[to++] = BACKSLASH;
    else if (code < 0x20) return FAIL;
    out[to++] = code;
  }
  out[to++] = QUOTE;
  out[to++] = CLOSE_BRACKET;
  return to;
}

/** `k=1|m=2` after `{"`. */
export function writePairs(bytes: Buffer, start: number, end: number, out: Buffer, begin: number): number {
  let to = begin;
  for (let at = start, count = 0; ; count++) {
    let next = at;
    let sign = -1;
    for (; next < end && bytes[next] !== PIPE; next++) if (bytes[next] === EQUALS) sign = next;
    if (sign < 0 || isReserved(bytes, at) || !isNewKey(bytes, count, at, sign)) return FAIL;
    if (!isWhole(bytes, sign + 1, next)) return FAIL;
    to = writeText(bytes, at, sign, out, to);
    if (to === FAIL) return FAIL;
    out[to++] = QUOTE;
    out[to++] = COLON;
    out[to++] = QUOTE;
    to = copyBytes(bytes, sign + 1, next, out, to);
    out[to++] = QUOTE;
    if (next === end) {
      out[to++] = CLOSE_BRACE;
      return to;
    }
    out[to++] = COMMA;
    out[to++] = QUOTE;
    at = next + 1;
  }
}

export function isWhole(bytes: Buffer, start: number, end: number): boolean {
  return start < end && end - start <= MAX_DIGITS && scanDigits(bytes, start) >= end;
}

function isZero(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] !== ZERO) return false;
  return true;
}

/** Digits, with an optional sign and fraction. */
export function isNumber(bytes: Buffer, start: number, end: number): boolean {
  return end - start <= MAX_NUMBER_BYTES && scanDecimal(bytes, start) === end;
}

const COUNT_HEAD = Buffer.from('","count":"');
const SUM = Buffer.from('sum=');
const COUNT = Buffer.from('count=');

/** An average after `{"sum":"`, from the cells of its sum and count. */
export function writeSumAndCount(
  bytes: Buffer,
  sum: number,
  sumEnd: number,
  count: number,
  countEnd: number,
  out: Buffer,
  begin: number,
): number {
  if (!isNumber(bytes, sum, sumEnd) || !isWhole(bytes, count, countEnd) || isZero(bytes, count, countEnd)) return FAIL;
  let to = copyBytes(bytes, sum, sumEnd, out, begin);
  out.set(COUNT_HEAD, to);
  to = copyBytes(bytes, count, countEnd, out, to + COUNT_HEAD.length);
  out[to++] = QUOTE;
  out[to++] = CLOSE_BRACE;
  return to;
}

/** The same from one cell: `sum=1|count=2`, in either order. */
export function writeAverage(bytes: Buffer, start: number, end: number, out: Buffer, begin: number): number {
  let middle = start;
  while (middle < end && bytes[middle] !== PIPE) middle++;
  const next = middle + 1;
  if (matchesAt(bytes, start, SUM) && matchesAt(bytes, next, COUNT)) {
    return writeSumAndCount(bytes, start + SUM.length, middle, next + COUNT.length, end, out, begin);
  }
  return matchesAt(bytes, start, COUNT) && matchesAt(bytes, next, SUM)
    ? writeSumAndCount(bytes, next + SUM.length, end, start + COUNT.length, middle, out, begin)
    : FAIL;
}
