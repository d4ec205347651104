// Parses JSON text strictly to find the first syntax error, or the positions of all parts. The messages of `JSON.parse`
// often have no position, and they differ between versions.

interface JsonSyntaxError {
  /** Index of the first invalid character, or the length of the text if it is incomplete. */
  offset: number;
  /** A clause without a final period: `a comma or "]" is missing`. */
  reason: string;
}

export interface JsonSpot {
  offset: number;
  end: number;
  items?: JsonSpot[];
  members?: JsonMembers;
}

export type JsonMembers = Map<string, { key: number; value: JsonSpot }>;
/** Called for each key before it is added to its object's members. */
type OnKey = (key: string, offset: number, members: JsonMembers) => unknown;

/** Returns the first error; undefined for valid JSON. Recurses once per nesting level. */
export function findJsonSyntaxError(text: string): JsonSyntaxError | undefined {
  try {
    const end = skipSpace(text, readValue(text, skipSpace(text, 0)));
    if (end < text.length) fail(text, end, 'there is text after the end of the value');
    return undefined;
  } catch (error) {
    if (error instanceof Stop) return error.found;
    throw error;
  }
}

/** Returns the position of every value in valid JSON, with or without a byte order mark. */
export function locateJson(text: string, onKey: OnKey = () => undefined): JsonSpot {
  const root: JsonSpot = { offset: 0, end: 0 };
  readValue(text, skipSpace(text, text.startsWith('\ufeff') ? 1 : 0), root, onKey);
  return root;
}

/** Returns the part at `path` (or its key, if `at` is `key`), or the nearest enclosing part. */
export function findSpot(root: JsonSpot, path: readonly (string | number)[], at?: 'key'): JsonSpot {
  let spot = root;
  let { offset } = root;
  for (const segment of path) {
    const member = spot.members?.get(String(segment));
    const inner = member?.value ?? (typeof segment === 'number' ? spot.items?.[segment] : undefined);
    if (!inner) break;
    spot = inner;
    offset = (at === 'key' ? member?.key : undefined) ?? inner.offset;
  }
  return at === 'key' ? { offset, end: offset } : spot;
}

/** Ends the recursion. Never thrown outside this file. */
class Stop extends Error {
  readonly found: JsonSyntaxError;
  constructor(found: JsonSyntaxError) {
    super(found.reason);
    this.found = found;
  }
}

function fail(text: string, offset: number, reason: string): never {
  throw new Stop({ offset, reason: offset >= text.length ? 'unexpected end of input' : reason });
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at++;
  return at;
}

/** Each read function gets the offset of its part, fills in `spot`, and returns the offset after the part. */
function readValue(text: string, at: number, spot?: JsonSpot, onKey?: OnKey): number {
  const end = readAny(text, at, spot, onKey);
  if (spot) Object.assign(spot, { offset: at, end });
  return end;
}

function readAny(text: string, at: number, spot?: JsonSpot, onKey?: OnKey): number {
  const first = text.charAt(at);
  if (first === '{') {
    const members = spot && (spot.members = new Map());
    return readParts(text, at, '}', (start) => readMember(text, start, members, onKey));
  }
  if (first === '[') {
    const items: JsonSpot[] | undefined = spot && (spot.items = []);
    return readParts(text, at, ']', (start) => {
      const item = items && { offset: start, end: start };
      if (item) items.push(item);
      return readValue(text, start, item, onKey);
    });
  }
  if (first === '"') return readString(text, at);
  if (first === '-' || isDigit(first)) return readNumber(text, at);
  for (const word of ['true', 'false', 'null']) if (first === word.charAt(0)) return readWord(text, at, word);
  return fail(text, at, 'a value is missing here');
}

function readParts(text: string, open: number, close: string, read: (start: number) => number): number {
  let at = skipSpace(text, open + 1);
  if (text.charAt(at) === close) return at + 1;
  for (;;) {
    at = skipSpace(text, read(at));
    const next = text.charAt(at);
    if (next === close) return at + 1;
    if (next !== ',') fail(text, at, `a comma or "${close}" is missing`);
    at = skipSpace(text, at + 1);
    if (text.charAt(at) === close) fail(text, at, `a comma before "${close}" is not allowed`);
  }
}

function readMember(text: string, start: number, members?: JsonMembers, onKey?: OnKey): number {
  if (text.charAt(start) !== '"') fail(text, start, 'a key in double quotes is missing');
  const keyEnd = readString(text, start);
  const colon = skipSpace(text, keyEnd);
  if (text.charAt(colon) !== ':') fail(text, colon, 'a colon is missing after the key');
  const value = members && { offset: 0, end: 0 };
  if (value) {
    const key = JSON.parse(text.slice(start, keyEnd)) as string;
    onKey?.(key, start, members);
    members.set(key, { key: start, value });
  }
  return readValue(text, skipSpace(text, colon + 1), value, onKey);
}

function readString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) fail(text, at, 'a line break or control character in a string must be escaped');
    if (code === 0x5c) at = readEscape(text, at + 1);
  }
  return fail(text, text.length, '');
}

/** Returns the offset of the last character of the escape. */
function readEscape(text: string, at: number): number {
  const kind = text.charAt(at);
  if (kind !== 'u') return '"\\/bfnrt'.includes(kind) && kind !== '' ? at : fail(text, at, 'unknown escape');
  for (let digit = at + 1; digit <= at + 4; digit++)
    if (!/^[0-9a-fA-F]$/.test(text.charAt(digit))) fail(text, digit, '\\u needs four hexadecimal digits');
  return at + 4;
}

function readNumber(text: string, start: number): number {
  let at = text.charAt(start) === '-' ? start + 1 : start;
  if (text.charAt(at) === '0' && isDigit(text.charAt(at + 1))) fail(text, at + 1, 'a number must not start with 0');
  at = readDigits(text, at);
  if (text.charAt(at) === '.') at = readDigits(text, at + 1);
  if (/^[eE]$/.test(text.charAt(at))) {
    at++;
    at = readDigits(text, /^[+-]$/.test(text.charAt(at)) ? at + 1 : at);
  }
  return at;
}

function readDigits(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charAt(at))) at++;
  return at === start ? fail(text, at, 'a digit is missing') : at;
}

function readWord(text: string, start: number, word: string): number {
  for (let index = 1; index < word.length; index++)
    if (text.charAt(start + index) !== word.charAt(index)) fail(text, start + index, `"${word}" is misspelled`);
  return start + word.length;
}

const isDigit = (character: string): boolean => character >= '0' && character <= '9';
