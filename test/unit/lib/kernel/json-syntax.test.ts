// The position and the reason of a JSON syntax error.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonSyntaxError } from '../../../../src/lib/kernel/json-syntax.ts';
import { damagedJson, parsesAsJson } from './damaged-json.ts';
import { runs } from '../../../helpers/size.ts';

const EARLY = 'unexpected end of input';

describe('findJsonSyntaxError', () => {
  it.each([
    ['', 0, EARLY],
    ['  ', 2, EARLY],
    ['{', 1, EARLY],
    ['{"a": 1', 7, EARLY],
    ['"abc', 4, EARLY],
    ['"abc\\', 5, EARLY],
    ['"\\u12', 5, EARLY],
    ['nul', 3, EARLY],
    ['-', 1, EARLY],
    ['1.', 2, EARLY],
    ['1e+', 3, EARLY],
    ['{"a": x}', 6, 'a value is missing here'],
    ['{"a":}', 5, 'a value is missing here'],
    ['[,1]', 1, 'a value is missing here'],
    ['[}', 1, 'a value is missing here'],
    ['\u00a01', 0, 'a value is missing here'],
    ['[1 2]', 3, 'a comma or "]" is missing'],
    ['[1}', 2, 'a comma or "]" is missing'],
    ['{"a":1 "b":2}', 7, 'a comma or "}" is missing'],
    ['{"a": 1,}', 8, 'a comma before "}" is not allowed'],
    ['[1,\n]', 4, 'a comma before "]" is not allowed'],
    ['{"a" 1}', 5, 'a colon is missing after the key'],
    ["{'a': 1}", 1, 'a key in double quotes is missing'],
    ['{a: 1}', 1, 'a key in double quotes is missing'],
    ['{12345678901234567890: 1}', 1, 'a key in double quotes is missing'],
    ['{"a": tru\n}', 9, '"true" is misspelled'],
    ['[nil]', 2, '"null" is misspelled'],
    ['[01]', 2, 'a number must not start with 0'],
    ['[-x]', 2, 'a digit is missing'],
    ['[1.]', 3, 'a digit is missing'],
    ['[1e]', 3, 'a digit is missing'],
    ['"a\nb"', 2, 'a line break or control character in a string must be escaped'],
    ['"a\u0000"', 2, 'a line break or control character in a string must be escaped'],
    ['{"a": "\\x"}', 8, 'unknown escape'],
    ['"\\u12g4"', 5, '\\u needs four hexadecimal digits'],
    ['{} {}', 3, 'there is text after the end of the value'],
    ['1 ,', 2, 'there is text after the end of the value'],
  ])('reports the error in %j at offset %i: %s', (text, offset, reason) => {
    expect(parsesAsJson(text)).toBe(false);
    expect(findJsonSyntaxError(text)).toEqual({ offset, reason });
  });

  it('agrees with JSON.parse on whether a text is valid JSON', () => {
    fc.assert(
      fc.property(damagedJson(), (text) => {
        expect(findJsonSyntaxError(text) === undefined, text).toBe(parsesAsJson(text));
      }),
      runs(2000),
    );
  });

  it('reports the first character at which the text can no longer become valid JSON', () => {
    fc.assert(
      fc.property(damagedJson(), (text) => {
        const offset = findJsonSyntaxError(text)?.offset;
        if (offset === undefined) return;
        const before = findJsonSyntaxError(text.slice(0, offset));
        // `before` is undefined if the text before the offset is a complete JSON value.
        if (before) expect(before, text).toEqual({ offset, reason: EARLY });
        if (offset < text.length) expect(findJsonSyntaxError(text.slice(0, offset + 1))?.offset, text).toBe(offset);
      }),
      runs(2000),
    );
  });

  it('reads a string of several megabytes, which would overflow the stack of a regular expression', () => {
    const long = JSON.stringify({ text: 'a\n'.repeat(6_000_000) });
    expect(findJsonSyntaxError(long)).toBeUndefined();
    expect(findJsonSyntaxError(`${long}]`)?.offset).toBe(long.length);
  });
});
