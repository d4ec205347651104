// JSON that keeps 64-bit integers exact, and one canonical spelling of a value for hashing.
import { jsonErrorOffset } from './json-syntax.ts';

/** Deeper nesting than any answer or file has a use for; guards every recursive walk. */
const MAX_DEPTH = 500;

// Marks a big integer while it travels as a string. Random, so that no text from outside can hold it.
const TAG = `\uE000${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}:`;

/** A value as `parseJson` gives it: integers beyond 2^53 are bigint. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };

/** Thrown by `parseJson`; `offset` is where in the text reading stopped, when that is known. */
export class JsonError extends Error {
  readonly offset: number | undefined;
  constructor(message: string, offset?: number) {
    super(message);
    this.name = 'JsonError';
    this.offset = offset;
  }
}

/**
 * Parses JSON. Integers that a double cannot hold come back as bigint, everything else as `JSON.parse` gives it.
 * A leading byte-order mark is allowed. Keys named `__proto__` are dropped. Throws JsonError on bad syntax and on
 * nesting deeper than 500.
 */
export function parseJson(source: string): unknown {
  const text = source.charCodeAt(0) === 0xfeff ? source.slice(1) : source;
  checkDepth(text);
  const hasBig = /\d{16}/.test(text);
  const hasProto = text.includes('proto') || text.includes('\\u');
  const prepared = hasBig ? tagBigIntegers(text) : text;
  let value: unknown;
  try {
    value = JSON.parse(prepared);
  } catch {
    throw new JsonError(...explainSyntax(text));
  }
  if (!hasBig && !hasProto) return value;
  return restore(value);
}

const TAGGED = new RegExp(`"${TAG}(-?\\d+)"`, 'g');
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Wraps the big integers between the strings. Strings are skipped by hand: a pattern overflows on one of megabytes. */
function tagBigIntegers(text: string): string {
  let result = '';
  let position = 0;
  while (position < text.length) {
    const quote = text.indexOf('"', position);
    const end = quote === -1 ? text.length : quote;
    const outside = text.slice(position, end);
    result += outside.replace(NUMBER, (token) => (isBigInteger(token) ? `"${TAG}${token}"` : token));
    position = quote === -1 ? end : afterString(text, quote);
    result += text.slice(end, position);
  }
  return result;
}

function afterString(text: string, quote: number): number {
  let position = quote + 1;
  while (position < text.length && text.charCodeAt(position) !== 0x22)
    position += text.charCodeAt(position) === 0x5c ? 2 : 1;
  return Math.min(position + 1, text.length);
}

function isBigInteger(token: string): boolean {
  return token.length >= 16 && /^-?(?:0|[1-9]\d*)$/.test(token) && !Number.isSafeInteger(Number(token));
}

function restore(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(TAG) ? BigInt(value.slice(TAG.length)) : value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = restore(value[index]);
    return value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    if (key === '__proto__') delete record[key];
    else record[key] = restore(record[key]);
  }
  return record;
}

function checkDepth(text: string): void {
  if (text.length < MAX_DEPTH * 2) return;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 0x5c) index++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH) throw new JsonError(`nested deeper than ${MAX_DEPTH} levels`, index);
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
}

function explainSyntax(text: string): [string, number | undefined] {
  // Reading the original again gives the offset in the text the user knows, not in our prepared copy.
  const offset = jsonErrorOffset(text);
  return [offset === text.length ? 'not valid JSON: it ends too early' : 'not valid JSON', offset];
}

/** Writes JSON; bigint becomes a bare integer. `indent` as in `JSON.stringify`. */
export function stringifyJson(value: unknown, indent?: number): string {
  let found = false;
  const text = JSON.stringify(
    value,
    (_key, item: unknown) => {
      if (typeof item !== 'bigint') return item;
      found = true;
      return `${TAG}${item}`;
    },
    indent,
  );
  if (text === undefined) return 'null';
  return found ? text.replaceAll(TAGGED, '$1') : text;
}

/** One spelling for one value: keys sorted, no spaces. Two values are equal when their canonical texts are. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const record = value as Record<string, unknown>;
  const entries = Object.keys(record)
    .filter((key) => record[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(record[key])}`);
  return `{${entries.join(',')}}`;
}
