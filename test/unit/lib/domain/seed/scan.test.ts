// Compares each token scanner with an equivalent regular expression on every short string over a small alphabet.
import { describe, expect, it } from 'vitest';
import {
  FAIL,
  isNewKey,
  isReserved,
  isSpace,
  markLength,
  scanDecimal,
  scanDigits,
  scanLong,
  skipSpace,
  matchesAt,
} from '../../../../../src/lib/domain/seed/scan.ts';

/** Yields every string of at most `length` of the given characters. */
function* texts(characters: readonly string[], length: number): Generator<string> {
  yield '';
  if (length === 0) return;
  for (const rest of texts(characters, length - 1))
    for (const character of characters) if (rest.length === length - 1) yield rest + character;
  if (length > 1) yield* texts(characters, length - 1);
}

const BEFORE = 3;

/** Runs a scanner at a position after other bytes, and returns where it stops, relative to that position. */
function endOf(step: (bytes: Buffer, start: number) => number, text: string): number {
  const end = step(Buffer.from(`${'1'.repeat(BEFORE)}${text}\n`), BEFORE);
  return end === FAIL ? FAIL : end - BEFORE;
}

/** Returns a scanner based on `pattern`: it returns the length of a match that `isGood` accepts, or FAIL. */
function byPattern(pattern: RegExp, isGood: (match: RegExpExecArray, rest: string) => boolean = () => true) {
  return (text: string): number => {
    const match = pattern.exec(text);
    return match && isGood(match, text.slice(match[0].length)) ? match[0].length : FAIL;
  };
}

const DIGITS = ['0', '1', '9', '-', '.', '"', 'e'];

type Step = (bytes: Buffer, start: number) => number;

describe.each<[string, Step, string[], number, (text: string) => number]>([
  ['a run of digits', scanDigits, DIGITS, 3, byPattern(/^\d*/)],
  [
    'a decimal with leading zeros',
    scanDecimal,
    DIGITS,
    5,
    byPattern(/^-?(\d*)(?:\.(\d*))?/, ([, whole = '', fraction]) => whole !== '' && fraction !== ''),
  ],
  ['a 64-bit integer', scanLong, DIGITS, 5, byPattern(/^-?(\d+)/, ([all]) => !/^-?0\d|^-0/.test(all))],
  ['a run of blanks', skipSpace, [' ', '\t', '\r', 'a', '\u000b'], 4, byPattern(/^[ \t\r\n]*/)],
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

  it.each([nines(18), `-91${nines(17)}`, `-89${nines(17)}`, `91${nines(17)}`, `-92${'0'.repeat(16)}`])(
    'accept the integer %s, which is within the limit',
    (text) => {
      expect(endOf(scanLong, text)).toBe(text.length);
    },
  );

  it.each([nines(19), nines(20), `-92${'0'.repeat(17)}`, `-93${'0'.repeat(17)}`, `92${'0'.repeat(17)}`])(
    'reject the integer %s, which is beyond the limit',
    (text) => {
      expect(endOf(scanLong, text)).toBe(FAIL);
    },
  );
});

it.each([
  [[0xef, 0xbb, 0xbf, 0x61], 3],
  [[0xef, 0xbb, 0xbf], 3],
  [[0xef, 0xbb], 0],
  [[0xef, 0x61, 0xbf], 0],
  [[0x61, 0xbb, 0xbf], 0],
  [[0xef, 0xbb, 0x61], 0],
  [[], 0],
])('for the bytes %j, returns a byte order mark length of %i', (bytes, length) => {
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
  const seed = Buffer.from('"seed"');
  expect([matchesAt(bytes, 1, seed), matchesAt(bytes, 0, seed), matchesAt(bytes, 7, seed)]).toEqual([
    true,
    false,
    false,
  ]);
});

it('detects duplicate keys in an object with up to sixteen keys', () => {
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
  // The keys of the previous object are forgotten.
  expect(areNew('ka')).toEqual([true]);
});
