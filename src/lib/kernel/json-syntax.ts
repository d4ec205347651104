// Where and why a text stops being JSON. Only read when `JSON.parse` has refused it: the engine's own messages often
// hold no position, and differ between versions.

export interface JsonSyntaxError {
  /** Index of the first character that cannot stand where it does; the text's length when it ends too early. */
  offset: number;
  /** A clause without a full stop: `a comma or "]" is missing`. */
  reason: string;
}

/** The first thing wrong with the text, or undefined when it is JSON. Recurses once per level of nesting. */
export function findJsonSyntaxError(text: string): JsonSyntaxError | undefined {
  try {
    const end = skipSpace(text, readValue(text, skipSpace(text, 0)));
    if (end < text.length) fail(text, end, 'something follows the end of the value');
    return undefined;
  } catch (error) {
    if (error instanceof Stop) return error.found;
    throw error;
  }
}

/** Carries a finding out of the recursion; never leaves this file. */
class Stop extends Error {
  readonly found: JsonSyntaxError;
  constructor(found: JsonSyntaxError) {
    super(found.reason);
    this.found = found;
  }
}

function fail(text: string, offset: number, reason: string): never {
  throw new Stop({ offset, reason: offset >= text.length ? 'it ends too early' : reason });
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at++;
  return at;
}

/** Each reader takes the offset where its part begins and returns the offset behind it. */
function readValue(text: string, at: number): number {
  const first = text.charAt(at);
  if (first === '{') return readMembers(text, at, '}', readMember);
  if (first === '[') return readMembers(text, at, ']', readValue);
  if (first === '"') return readString(text, at);
  if (first === '-' || isDigit(first)) return readNumber(text, at);
  for (const word of ['true', 'false', 'null']) {
    if (first === word.charAt(0)) return readWord(text, at, word);
  }
  return fail(text, at, 'a value is missing here');
}

function readMembers(text: string, open: number, close: string, read: typeof readValue): number {
  let at = skipSpace(text, open + 1);
  if (text.charAt(at) === close) return at + 1;
  for (;;) {
    at = skipSpace(text, read(text, at));
    const next = text.charAt(at);
    if (next === close) return at + 1;
    if (next !== ',') fail(text, at, `a comma or "${close}" is missing`);
    at = skipSpace(text, at + 1);
    if (text.charAt(at) === close) fail(text, at, `a comma stands before "${close}"`);
  }
}

function readMember(text: string, start: number): number {
  if (text.charAt(start) !== '"') fail(text, start, 'a key in double quotes is missing');
  const colon = skipSpace(text, readString(text, start));
  if (text.charAt(colon) !== ':') fail(text, colon, 'a colon is missing after the key');
  return readValue(text, skipSpace(text, colon + 1));
}

function readString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) fail(text, at, 'a line break or control character stands bare in a text');
    if (code === 0x5c) at = readEscape(text, at + 1);
  }
  return fail(text, text.length, '');
}

/** Returns the offset of the escape's last character. */
function readEscape(text: string, at: number): number {
  const kind = text.charAt(at);
  if (kind !== 'u')
    return '"\\/bfnrt'.includes(kind) && kind !== '' ? at : fail(text, at, 'this escape does not exist');
  for (let digit = at + 1; digit <= at + 4; digit++) {
    if (!/^[0-9a-fA-F]$/.test(text.charAt(digit))) fail(text, digit, '\\u needs four hexadecimal digits');
  }
  return at + 4;
}

function readNumber(text: string, start: number): number {
  let at = text.charAt(start) === '-' ? start + 1 : start;
  if (text.charAt(at) === '0' && isDigit(text.charAt(at + 1))) fail(text, at + 1, 'a number may not begin with 0');
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
  for (let index = 1; index < word.length; index++) {
    if (text.charAt(start + index) !== word.charAt(index)) fail(text, start + index, `"${word}" is misspelt`);
  }
  return start + word.length;
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}
