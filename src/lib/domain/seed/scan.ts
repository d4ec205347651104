// Skips JSON tokens in bytes. Each function gets a token's offset and returns the offset after it, or FAIL. The bytes
// must be followed by a line feed: no token contains one, so no scan goes past the end.

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
const MINUS = 0x2d;
export const POINT = 0x2e;
export const ZERO = 0x30;

/** Objects with more keys than this go to the exact check. */
const MAX_COMPARED_KEYS = 16;

/** Numbers with more digits go to the exact check. */
const MAX_PLAIN_DIGITS = 40;

/** Returns the bytes of a JSON string without escapes. */
export function word(text: string): Uint8Array {
  return Buffer.from(JSON.stringify(text));
}

export function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at++;
  return at;
}

/** True for white space between JSON tokens. */
export function isSpace(code: number | undefined): boolean {
  return code === 0x20 || code === LINE_FEED || code === 0x0d || code === 0x09;
}

/** Returns the length of the byte-order mark at the start of an input; 0 if there is none. */
export function markLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

export function matchesAt(bytes: Uint8Array, at: number, word: Uint8Array): boolean {
  for (let index = 0; index < word.length; index++) if (bytes[at + index] !== word[index]) return false;
  return true;
}

/** Scans a string, with or without escapes. */
export function scanString(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== QUOTE) return FAIL;
  let at = start + 1;
  for (;;) {
    let code = bytes[at++] as number;
    // Almost every byte needs only two comparisons.
    while (code > QUOTE && code !== BACKSLASH) code = bytes[at++] as number;
    if (code === QUOTE) return at;
    if (code < 0x20) return FAIL;
    if (code === BACKSLASH) {
      at = scanEscape(bytes, at);
      if (at === FAIL) return FAIL;
    }
  }
}

/** Scans a non-empty string. */
export function scanName(bytes: Uint8Array, start: number): number {
  const at = scanString(bytes, start);
  return at === start + 2 ? FAIL : at;
}

function scanEscape(bytes: Uint8Array, at: number): number {
  switch (bytes[at]) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return at + 1;
    case 0x75: {
      for (let index = 1; index <= 4; index++) if (!isHex(bytes[at + index] as number)) return FAIL;
      return at + 5;
    }
    default:
      return FAIL;
  }
}

function isHex(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
}

/** True if a name starts with `__`. Some of these names are special in JavaScript, so they go to the exact check. */
export function isReserved(bytes: Uint8Array, start: number): boolean {
  return bytes[start] === UNDERSCORE && bytes[start + 1] === UNDERSCORE;
}

/** Scans a key without escapes that does not start with `__`, so that its bytes are its name. */
export function scanPlainKey(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== QUOTE || isReserved(bytes, start + 1)) return FAIL;
  let at = start + 1;
  for (;;) {
    const code = bytes[at++] as number;
    if (code === QUOTE) return at;
    if (code < 0x20 || code === BACKSLASH) return FAIL;
  }
}

/** Returns the offset of the value after a key and its colon. */
export function scanColon(bytes: Uint8Array, start: number): number {
  let at = start;
  if (bytes[at] !== COLON) {
    at = skipSpace(bytes, at);
    if (bytes[at] !== COLON) return FAIL;
  }
  at++;
  return (bytes[at] as number) <= 0x20 ? skipSpace(bytes, at) : at;
}

/** Scans a JSON number without an exponent. */
export function scanNumber(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  const digits = at;
  at = scanDigits(bytes, at);
  if (at === digits || (bytes[digits] === ZERO && at > digits + 1)) return FAIL;
  if (bytes[at] === POINT) {
    const fraction = at + 1;
    at = scanDigits(bytes, fraction);
    if (at === fraction) return FAIL;
  }
  return at - start > MAX_PLAIN_DIGITS || ((bytes[at] as number) | 0x20) === 0x65 ? FAIL : at;
}

/** Scans a number, or a string that contains one. */
export function scanNumeric(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== QUOTE) return scanNumber(bytes, start);
  const at = scanDecimal(bytes, start + 1);
  return bytes[at] === QUOTE && at - start <= MAX_PLAIN_DIGITS ? at + 1 : FAIL;
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

/** Scans at least `least` digits that certainly fit into a 64-bit integer, with or without quotes. */
export function scanWhole(bytes: Uint8Array, start: number, least: 0 | 1): number {
  const quoted = bytes[start] === QUOTE;
  const digits = quoted ? start + 1 : start;
  let at = scanDigits(bytes, digits);
  if (at === digits || at - digits > 18) return FAIL;
  if (!quoted && bytes[digits] === ZERO && at > digits + 1) return FAIL;
  if (least === 1) {
    let zero = digits;
    while (bytes[zero] === ZERO) zero++;
    if (zero === at) return FAIL;
  }
  if (quoted) {
    if (bytes[at] !== QUOTE) return FAIL;
    at++;
  }
  return at;
}

/** Scans a number without quotes that is certainly a signed 64-bit integer. */
export function scanLong(bytes: Uint8Array, start: number): number {
  const negative = bytes[start] === MINUS;
  const digits = negative ? start + 1 : start;
  const at = scanDigits(bytes, digits);
  const length = at - digits;
  if (length === 0 || length > 19 || (bytes[digits] === ZERO && (length > 1 || negative))) return FAIL;
  // From -9223372036854775808 to 9223372036854775807: numbers near these bounds go to the exact check.
  return length === 19 && bytes[digits] === 0x39 && (bytes[digits + 1] as number) >= 0x32 ? FAIL : at;
}

/** Scans zero or more digits. */
export function scanDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let code = bytes[at] as number; code >= 0x30 && code <= 0x39; code = bytes[at] as number) at++;
  return at;
}

/** Returns the offset of the comma or bracket after an item. */
export function afterItem(bytes: Uint8Array, at: number): number {
  return bytes[at] === COMMA ? at : skipSpace(bytes, at);
}

/** Scans `[item, …]` or an empty list. */
export function scanItems(bytes: Buffer, start: number, item: (bytes: Buffer, at: number) => number): number {
  if (bytes[start] !== OPEN_BRACKET) return FAIL;
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === CLOSE_BRACKET) return at + 1;
  for (;;) {
    at = item(bytes, at);
    if (at === FAIL) return FAIL;
    at = afterItem(bytes, at);
    if (bytes[at] !== COMMA) return bytes[at] === CLOSE_BRACKET ? at + 1 : FAIL;
    at = skipSpace(bytes, at + 1);
  }
}

/** Gets the offset of a value and returns the offset after it, or FAIL. */
export type Scan = (bytes: Buffer, at: number) => number;

/** A field of an object. `key` is the name in quotes. */
export interface Field {
  key: Uint8Array;
  scan: Scan;
}

export function fieldOf(name: string, scan: Scan): Field {
  return { key: word(name), scan };
}

/** Scans `{field, …}` with only these fields, each at most once. `required` has a bit per required field. */
export function scanFields(bytes: Buffer, start: number, fields: readonly Field[], required: number): number {
  if (bytes[start] !== OPEN_BRACE) return FAIL;
  let at = skipSpace(bytes, start + 1);
  for (let seen = 0; ;) {
    let index = 0;
    while (index < fields.length && !matchesAt(bytes, at, (fields[index] as Field).key)) index++;
    const field = fields[index];
    if (field === undefined || (seen & (1 << index)) !== 0) return FAIL;
    seen |= 1 << index;
    const value = scanColon(bytes, at + field.key.length);
    at = value === FAIL ? FAIL : field.scan(bytes, value);
    if (at === FAIL) return FAIL;
    at = afterItem(bytes, at);
    if (bytes[at] !== COMMA) return bytes[at] === CLOSE_BRACE && (seen & required) === required ? at + 1 : FAIL;
    at = skipSpace(bytes, at + 1);
  }
}

/** Scans `{"key": value, …}` with plain keys, or `{}`. `member` gets the range of the key and the value's offset. */
export function scanMembers(
  bytes: Buffer,
  start: number,
  member: (bytes: Buffer, key: number, end: number, value: number) => number,
): number {
  if (bytes[start] !== OPEN_BRACE) return FAIL;
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === CLOSE_BRACE) return at + 1;
  for (let count = 0; ; count++) {
    const key = at;
    const end = scanPlainKey(bytes, key);
    if (end === FAIL || !isNewKey(bytes, count, key, end)) return FAIL;
    const value = scanColon(bytes, end);
    at = value === FAIL ? FAIL : member(bytes, key, end, value);
    if (at === FAIL) return FAIL;
    at = afterItem(bytes, at);
    if (bytes[at] !== COMMA) return bytes[at] === CLOSE_BRACE ? at + 1 : FAIL;
    at = skipSpace(bytes, at + 1);
  }
}

const keyStarts = new Int32Array(MAX_COMPARED_KEYS);
const keyEnds = new Int32Array(MAX_COMPARED_KEYS);

/** Adds the `count`th key of an object; returns false for a duplicate, or if there are too many keys to compare. */
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
