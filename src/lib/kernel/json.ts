// JSON with exact 64-bit integers, and a canonical form for hashing values.
import { findJsonSyntaxError, locateJson } from './json-syntax.ts';

/** Maximum nesting depth, to prevent stack overflows. No real response or file is nested this deeply. */
const MAX_DEPTH = 500;

/** A longer integer cannot be an id, and parsing and formatting it would take quadratic time. */
const MAX_DIGITS = 1000;

// Marks a string as a big integer. Random, so that no input contains it; ASCII, so that strings remain one-byte.
const TAG = `big-integer:${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}:`;
const TAGGED = new RegExp(`"${TAG}(-?\\d+)"`, 'g');

/** A value that `parseJson` returns. Integers beyond 2^53 are bigint. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };

/** Thrown by `parseJson`. `offset` is the index of the first invalid character, if known. */
export class JsonError extends Error {
  readonly offset: number | undefined;
  constructor(message: string, offset?: number) {
    super(message);
    this.name = 'JsonError';
    this.offset = offset;
  }
}

export class TooManyValues extends JsonError {}

/**
 * Parses JSON. Converts integers beyond 2^53 to bigint; otherwise works like `JSON.parse`. Allows a leading byte order
 * mark. Drops keys named `__proto__`. Throws JsonError for invalid syntax, more than 500 nested levels, integers of
 * more than 1,000 digits, numbers beyond the range of a double, and more than `maxValues` values. If `isExact` is true,
 * also throws it for a number that a double cannot hold with all its digits.
 */
export function parseJson(source: string, maxValues = Infinity, isExact = false): unknown {
  const start = source.charCodeAt(0) === 0xfeff ? 1 : 0;
  const bigIntegers = findBigIntegers(source, start, maxValues, isExact);
  let value: unknown;
  try {
    value = JSON.parse(tagged(source, start, bigIntegers));
  } catch {
    const found = findJsonSyntaxError(source.slice(start));
    throw new JsonError(`not valid JSON: ${found?.reason ?? 'unknown error'}`, found && found.offset + start);
  }
  if (bigIntegers.length > 0 || MAY_HOLD_PROTO.test(source)) value = restore(value);
  return value;
}

// Also matches `__proto__` if it is written with escapes.
const MAY_HOLD_PROTO = /__proto__|\\u00(?:5f|6f|7[024])/i;

/** Returns the start and end offsets of integers beyond 2^53. A regular expression would exhaust the stack. */
function findBigIntegers(text: string, start: number, maxValues: number, isExact: boolean): number[] {
  const found: number[] = [];
  // Every value except the first follows a comma or an opening bracket.
  let values = 0;
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x2c) values++;
    else if (code === 0x7b || code === 0x5b) {
      values++;
      if (++depth > MAX_DEPTH) throw new JsonError(`nested deeper than ${MAX_DEPTH} levels`, at);
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (isNumberPart(code)) {
      const end = endOfNumber(text, at);
      if (isBigInteger(text, at, end, isExact)) found.push(at, end);
      at = end - 1;
    }
  }
  if (values > maxValues) throw new TooManyValues(`more than ${maxValues} values`);
  return found;
}

function endOfString(text: string, open: number): number {
  let at = open + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) break;
    if (code === 0x5c) at++;
  }
  return at;
}

const isNumberPart = (code: number): boolean => (code >= 0x30 && code <= 0x39) || code === 0x2d;

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!isNumberPart(code) && code !== 0x2e && code !== 0x2b && (code | 0x20) !== 0x65) break;
  }
  return at;
}

function isBigInteger(text: string, start: number, end: number, isExact: boolean): boolean {
  const length = end - start;
  // A short number is never too large: it has at most 15 digits and no exponent, or an exponent of at most two digits.
  if (length < 5) return false;
  const token = text.slice(start, end);
  if (length < 16 && !/e/i.test(token)) return false;
  if (!/^-?[1-9]\d*$/.test(token)) {
    if (Math.abs(Number(token)) === Infinity) throw new JsonError('a number is too large', start);
    if (isExact && !isHeld(token)) throw new JsonError(`a number ${NOT_HELD}`, start);
    return false;
  }
  if (Number.isSafeInteger(Number(token))) return false;
  if (length > MAX_DIGITS) throw new JsonError(`a number has more than ${MAX_DIGITS} digits`, start);
  // JSON.parse rejects a number where a key is expected.
  let next = end;
  while (' \t\n\r'.includes(text[next] ?? ':')) next++;
  return text[next] !== ':';
}

export const NOT_HELD = 'has too many digits to be sent exactly; write it in quotes';

/**
 * True if the number's double has the same digits. Some programs write doubles with 17 digits, and `String` and
 * `toPrecision` round a double halfway between two decimals differently.
 */
export function isHeld(token: string): boolean {
  const digits = digitsOf(token);
  const value = Number(token);
  const { length } = digits;
  if (length === 0 || digits === digitsOf(String(value))) return true;
  return length <= 100 && digits === digitsOf(value.toPrecision(length));
}

/** Returns the significant digits of a number. */
function digitsOf(token: string): string {
  const digits = (token.split(/e/i)[0] ?? '').replace(/[-+.]/g, '').replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

function tagged(text: string, start: number, bigIntegers: readonly number[]): string {
  const pieces: string[] = [];
  let done = start;
  for (let index = 0; index < bigIntegers.length; index += 2) {
    const from = bigIntegers[index] ?? 0;
    const to = bigIntegers[index + 1] ?? 0;
    pieces.push(text.slice(done, from), '"', TAG, text.slice(from, to), '"');
    done = to;
  }
  pieces.push(text.slice(done));
  return pieces.join('');
}

/** Converts marked strings to bigint and drops `__proto__`, both in place. */
function restore(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(TAG) ? BigInt(value.slice(TAG.length)) : value;
  if (typeof value !== 'object' || value === null) return value;
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    const before = record[key];
    const after = restore(before);
    if (key === '__proto__') delete record[key];
    else if (after !== before) record[key] = after;
  }
  return record;
}

/** Writes JSON. Writes a bigint as a bare integer. `indent` works as in `JSON.stringify`. */
export function stringifyJson(value: unknown, indent?: number | string): string {
  if (typeof value === 'bigint') return String(value);
  try {
    // Without a replacer, this is twice as fast.
    return (JSON.stringify(value, undefined, indent) as string | undefined) ?? 'null';
  } catch {
    // The value contains a bigint. Any other error is thrown again below.
  }
  const mark = (_key: string, item: unknown): unknown => (typeof item === 'bigint' ? `${TAG}${item}` : item);
  return JSON.stringify(value, mark, indent).replaceAll(TAGGED, '$1');
}

/** Writes JSON with sorted keys and no spaces: values are equal if and only if their canonical strings are equal. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return (JSON.stringify(value) as string | undefined) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  const record = value as Record<string, unknown>;
  let members = '';
  for (const key of Object.keys(record).sort()) {
    if (record[key] === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(record[key])}`;
  }
  return `{${members}}`;
}

export const tryJson = (text: string): unknown => parseJsonOr(text, () => undefined);

export function parseJsonOr(text: string, recover: (error: JsonError) => unknown): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return recover(error);
    throw error;
  }
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Parses a JSON object without checking it; returns undefined for any other text. Large integers lose precision. */
export function readRecord<T extends object>(text: string | undefined): Partial<T> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isRecord(value) ? (value as Partial<T>) : undefined;
  } catch {
    return undefined;
  }
}

/** True for an object, but not for null or an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True if `parseJson` keeps every key of this valid JSON text: there is no duplicate and no `__proto__`. */
export function holdsEachKey(text: string): boolean {
  let holdsEach = true;
  locateJson(text, (key, _offset, members) => (holdsEach &&= key !== '__proto__' && !members.has(key)));
  return holdsEach;
}
