// Compares each token scanner with an equivalent pattern over every short string of certain characters.
import { describe, expect, it } from 'vitest';
import {
  afterItem,
  FAIL,
  isNewKey,
  isReserved,
  isSpace,
  markLength,
  scanColon,
  scanDecimal,
  scanDigits,
  scanItems,
  scanLong,
  scanNumber,
  scanNumeric,
  scanPlainKey,
  scanString,
  scanWhole,
  skipSpace,
  matchesAt,
  word,
} from '../../../../../src/lib/domain/seed/scan.ts';

/** Returns every string of at most `length` of the given characters. */
function* texts(characters: readonly string[], length: number): Generator<string> {
  yield '';
  if (length === 0) return;
  for (const rest of texts(characters, length - 1))
    for (const character of characters) if (rest.length === length - 1) yield rest + character;
  if (length > 1) yield* texts(characters, length - 1);
}

const BEFORE = 3;

/** Runs a scanner after other bytes. Returns where it stops, relative to where it started. */
function endOf(step: (bytes: Buffer, start: number) => number, text: string): number {
  const end = step(Buffer.from(`${'1'.repeat(BEFORE)}${text}\n`), BEFORE);
  return end === FAIL ? FAIL : end - BEFORE;
}

/** Returns the length that a pattern matches at the start of a string if `isGood` accepts the match. */
function byPattern(pattern: RegExp, isGood: (match: RegExpExecArray, rest: string) => boolean = () => true) {
  return (text: string): number => {
    const match = pattern.exec(text);
    return match && isGood(match, text.slice(match[0].length)) ? match[0].length : FAIL;
  };
}

const DIGITS = ['0', '1', '9', '-', '.', '"', 'e'];
const isWhole = (digits: string): boolean => digits !== '' && digits.length <= 18;

type Step = (bytes: Buffer, start: number) => number;

describe.each<[string, Step, string[], number, (text: string) => number]>([
  ['digits', scanDigits, DIGITS, 3, byPattern(/^\d*/)],
  [
    'a number',
    scanNumber,
    DIGITS,
    5,
    byPattern(/^-?(\d*)(?:\.(\d*))?/, ([, whole = '', fraction], rest) => {
      return whole !== '' && !/^0\d/.test(whole) && fraction !== '' && !rest.startsWith('e');
    }),
  ],
  [
    'a decimal with leading zeros',
    scanDecimal,
    DIGITS,
    5,
    byPattern(/^-?(\d*)(?:\.(\d*))?/, ([, whole = '', fraction]) => whole !== '' && fraction !== ''),
  ],
  [
    'a number or a numeric string',
    scanNumeric,
    DIGITS,
    5,
    (text) =>
      text.startsWith('"')
        ? byPattern(/^"-?\d+(?:\.\d+)?"/)(text)
        : byPattern(/^-?(\d*)(?:\.(\d*))?/, ([, whole = '', fraction], rest) => {
            return whole !== '' && !/^0\d/.test(whole) && fraction !== '' && !rest.startsWith('e');
          })(text),
  ],
  [
    'a whole number',
    (bytes, start) => scanWhole(bytes, start, 0),
    DIGITS,
    5,
    (text) =>
      text.startsWith('"')
        ? byPattern(/^"(\d+)"/, ([, digits = '']) => isWhole(digits))(text)
        : byPattern(/^\d+/, ([digits]) => isWhole(digits) && !/^0\d/.test(digits))(text),
  ],
  [
    'a whole number from 1',
    (bytes, start) => scanWhole(bytes, start, 1),
    DIGITS,
    5,
    (text) =>
      text.startsWith('"')
        ? byPattern(/^"(\d+)"/, ([, digits = '']) => isWhole(digits) && /[1-9]/.test(digits))(text)
        : byPattern(/^\d+/, ([digits]) => isWhole(digits) && /^[1-9]/.test(digits))(text),
  ],
  ['a long', scanLong, DIGITS, 5, byPattern(/^-?(\d+)/, ([all]) => !/^-?0\d|^-0/.test(all))],
  [
    'a string',
    scanString,
    ['a', '"', '\\', 'u', '0', 'F', '\u001f'],
    6,
    byPattern(/^"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*"/),
  ],
  ['a plain key', scanPlainKey, ['a', '_', '"', '\\', ' ', '\u001f'], 5, byPattern(/^"(?!__)[^"\\\u0000-\u001f]*"/)],
  ['a colon', scanColon, [' ', ':', '\t', 'a', '\r'], 5, byPattern(/^[ \t\r]*:[ \t\r\n]*/)],
  ['blanks', skipSpace, [' ', '\t', '\r', 'a', '\u000b'], 4, byPattern(/^[ \t\r\n]*/)],
  [
    'a list of numbers',
    (bytes, start) => scanItems(bytes, start, scanNumber),
    ['[', ']', '1', ',', ' '],
    6,
    byPattern(/^\[\s*(?:1+(?:\s*,\s*1+)*\s*)?\]/),
  ],
])('%s', (_what, step, characters, length, expected) => {
  it('ends at the same position as its pattern', () => {
    let matches = 0;
    for (const text of texts(characters, length)) {
      const end = endOf(step, text);
      if (end !== FAIL) matches++;
      if (end !== expected(`${text}\n`)) expect.fail(`${JSON.stringify(text)}: ${end}, not ${expected(`${text}\n`)}`);
    }
    expect(matches).toBeGreaterThan(0);
  });
});

describe('length limits', () => {
  const nines = (count: number): string => '9'.repeat(count);

  it.each<[string, Step, string]>([
    ['a number', scanNumber, nines(40)],
    ['a number', scanNumber, `-${nines(37)}.5`],
    ['a numeric string', scanNumeric, `"${nines(39)}"`],
    ['a whole number', (bytes, start) => scanWhole(bytes, start, 0), nines(18)],
    ['a whole number', (bytes, start) => scanWhole(bytes, start, 1), `"${nines(18)}"`],
    ['a long', scanLong, nines(18)],
    ['a long', scanLong, `-91${nines(17)}`],
    ['a long', scanLong, `-89${nines(17)}`],
    ['a long', scanLong, `91${nines(17)}`],
    ['a long', scanLong, `-92${'0'.repeat(16)}`],
  ])('accept %s up to the limit (case %#)', (_what, step, text) => {
    expect(endOf(step, text)).toBe(text.length);
  });

  it.each<[string, Step, string]>([
    ['a number', scanNumber, nines(41)],
    ['a number', scanNumber, `-${nines(38)}.5`],
    ['a numeric string', scanNumeric, `"${nines(40)}"`],
    ['a whole number', (bytes, start) => scanWhole(bytes, start, 0), nines(19)],
    ['a whole number', (bytes, start) => scanWhole(bytes, start, 1), `"${'0'.repeat(18)}"`],
    ['a long', scanLong, nines(19)],
    ['a long', scanLong, nines(20)],
    ['a long', scanLong, `-92${'0'.repeat(17)}`],
    ['a long', scanLong, `-93${'0'.repeat(17)}`],
    ['a long', scanLong, `92${'0'.repeat(17)}`],
  ])('reject %s beyond the limit (case %#)', (_what, step, text) => {
    expect(endOf(step, text)).toBe(FAIL);
  });

  it('reject a number with an exponent', () => {
    expect(['1e3', '1E3', '1.5e3', '1f'].map((text) => endOf(scanNumber, text))).toEqual([FAIL, FAIL, FAIL, 1]);
  });
});

it.each([
  ['\\u00e9', 8],
  ['\\u00E9', 8],
  ['\\u0a9f', 8],
  ['\\u0A9F', 8],
  ['\\u000/', FAIL],
  ['\\u000:', FAIL],
  ['\\u000@', FAIL],
  ['\\u000G', FAIL],
  ['\\u000`', FAIL],
  ['\\u000g', FAIL],
  ['\\u000', FAIL],
  ['\\b\\f\\n\\r\\t\\/\\\\\\"', 18],
  ['\\a', FAIL],
  ['é😀\u007f', 9],
])('reads the string "%s" up to %i', (text, end) => {
  expect(endOf(scanString, `"${text}"`)).toBe(end);
});

it.each([
  [[0xef, 0xbb, 0xbf, 0x61], 3],
  [[0xef, 0xbb, 0xbf], 3],
  [[0xef, 0xbb], 0],
  [[0xef, 0x61, 0xbf], 0],
  [[0x61, 0xbb, 0xbf], 0],
  [[0xef, 0xbb, 0x61], 0],
  [[], 0],
])('finds in the bytes %j a byte order mark of length %i', (bytes, length) => {
  expect(markLength(Uint8Array.from(bytes))).toBe(length);
});

it.each([['__a'], ['__']])('recognizes %j as reserved', (name) => {
  expect(isReserved(Buffer.from(`"${name}"`), 1)).toBe(true);
});

it.each([['_a'], ['a_'], ['a__'], ['']])('does not treat %j as reserved', (name) => {
  expect(isReserved(Buffer.from(`"${name}"`), 1)).toBe(false);
});

it('accepts only JSON whitespace', () => {
  const blanks = Array.from({ length: 256 }, (_, code) => code).filter((code) => isSpace(code));
  expect(blanks).toEqual([0x09, 0x0a, 0x0d, 0x20]);
  expect(isSpace(undefined)).toBe(false);
});

it('recognizes only a complete word', () => {
  const bytes = Buffer.from('x"seed":1');
  expect([
    matchesAt(bytes, 1, word('seed')),
    matchesAt(bytes, 0, word('seed')),
    matchesAt(bytes, 7, word('seed')),
  ]).toEqual([true, false, false]);
});

it('stops at the comma after an item or after the blanks', () => {
  expect([',  ', '  ,', ' ]', ']', ''].map((text) => endOf(afterItem, text))).toEqual([0, 2, 1, 0, 1]);
});

it('detects a duplicate key in an object with up to sixteen keys', () => {
  const areNew = (...keys: string[]): boolean[] => {
    const bytes = Buffer.from(keys.join(''));
    let at = 0;
    return keys.map((key, index) => isNewKey(bytes, index, at, (at += key.length)));
  };
  expect(areNew('a', 'b', 'ab', 'ba', 'abc')).toEqual([true, true, true, true, true]);
  expect(areNew('a', 'b', 'a')).toEqual([true, true, false]);
  expect(areNew('ab', 'cd', 'ac', 'cb', 'cd')).toEqual([true, true, true, true, false]);
  expect(areNew('', '')).toEqual([true, false]);
  const many = Array.from({ length: 17 }, (_, index) => `k${String.fromCharCode(97 + index)}`);
  expect(areNew(...many)).toEqual([...Array<boolean>(16).fill(true), false]);
  // The previous object's keys are forgotten.
  expect(areNew('ka')).toEqual([true]);
});
