// Schemas shared by several areas: lengths, control characters, exact integers, dates.
import { describe, expect, it } from 'vitest';
import { explain } from '../../../../src/lib/contract/explain.ts';
import {
  hasControlCharacter,
  Identities,
  Integer,
  isCalendarDate,
  textOf,
} from '../../../../src/lib/contract/shared.ts';
import { characterCount } from '../../../../src/lib/kernel/words.ts';

describe('characterCount', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 2],
    ['🙂', 1],
    ['🙂🙂a', 3],
    ['\ud83d', 1],
    ['\u0000', 1],
  ])('counts %j as %i', (text, count) => {
    expect(characterCount(text)).toBe(count);
  });
});

describe('a text field', () => {
  const sentence = (min: number, max: number, text: unknown): string | undefined =>
    explain(textOf(min, max), text)[0]?.message;

  it.each([
    ['', 1, 3, 'is empty'],
    ['', 3, 32, 'is empty; at least 3 are needed'],
    ['a', 3, 32, 'has 1 character; at least 3 are needed'],
    ['🙂🙂', 3, 32, 'has 2 characters; at least 3 are needed'],
    ['abcd', 1, 3, 'has 4 characters; at most 3 are allowed'],
    ['🙂🙂🙂🙂', 0, 3, 'has 4 characters; at most 3 are allowed'],
    [5, 1, 3, 'must be a string, not a number; put it in quotes'],
    [null, 1, 3, 'must be a string, not null'],
    [undefined, 1, 3, 'is missing'],
  ])('rejects %j if the allowed length is %i to %i characters: %s', (text, min, max, message) => {
    expect(sentence(min, max, text)).toBe(message);
  });

  it.each(['', 'a', 'abc', '🙂🙂🙂', '   '])('accepts %j if the allowed length is 0 to 3 characters', (text) => {
    expect(sentence(0, 3, text)).toBeUndefined();
  });
});

describe('hasControlCharacter', () => {
  it('detects only C0, C1 and DEL characters', () => {
    const codes = Array.from({ length: 0x3000 }, (_, code) => code);
    expect(codes.filter((code) => hasControlCharacter(`a${String.fromCharCode(code)}b`))).toEqual(
      codes.filter((code) => code < 0x20 || (code >= 0x7f && code < 0xa0)),
    );
    expect(hasControlCharacter('🙂')).toBe(false);
  });
});

describe('Integer', () => {
  it.each([0, -1, 2 ** 53 - 1, -(2 ** 53 - 1), 0n, 2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n - 1n])(
    'accepts %s unchanged',
    (value) => {
      expect(Integer.parse(value)).toBe(value);
    },
  );

  it.each<[unknown]>([
    [1.5],
    [2 ** 53],
    [1e21],
    [Infinity],
    [Number.NaN],
    [2n ** 64n],
    [-(2n ** 63n) - 1n],
    ['1'],
    [''],
    [null],
    [undefined],
    [[1]],
  ])('rejects %o', (value) => {
    expect(Integer.safeParse(value).success).toBe(false);
  });
});

describe('isCalendarDate', () => {
  it.each([['2026-11-21'], ['2024-02-29'], ['0004-02-29']])('accepts %j', (text) => {
    expect(isCalendarDate(text)).toBe(true);
  });

  it.each([
    ['2026-02-29'],
    ['2026-04-31'],
    ['2026-13-01'],
    ['2026-00-01'],
    ['2026-01-00'],
    ['2026-1-1'],
    ['2026-11-21T00:00:00Z'],
    [' 2026-11-21'],
    ['2026-11-21\n'],
    [''],
  ])('rejects %j', (text) => {
    expect(isCalendarDate(text)).toBe(false);
  });
});

describe('Identities', () => {
  it('keeps unknown types and does not change any prototype', () => {
    expect(Identities.parse({ email: 'a@b.example', new_type: 'x' })).toEqual({ email: 'a@b.example', new_type: 'x' });
    expect(Identities.safeParse({ email: '' }).success).toBe(false);
    expect(Identities.safeParse({ email: 1 }).success).toBe(false);
    const hostile = Identities.parse(JSON.parse('{"__proto__":"x","constructor":"y"}'));
    expect(Object.entries(hostile)).toEqual([['constructor', 'y']]);
    expect(Object.getPrototypeOf(hostile)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});
