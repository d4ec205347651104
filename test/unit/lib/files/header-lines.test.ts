// A callback's saved headers as lines or JSON, and the position of each issue.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseHeaderLines } from '../../../../src/lib/files/load.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { thrownBy } from '../../../helpers/failure.ts';

const parse = (text: string): [string, string][] => parseHeaderLines({ name: 'headers', text });

it.each<[string, string, [string, string][]]>([
  ['plain lines', 'A: 1\r\nb:2\n\nA-b:', [['A', '1'], ['b', '2'], ['A-b', '']]],
  ['lines after the status line of curl -i', 'HTTP/1.1 202 Accepted\nA: 1\n', [['A', '1']]],
  ['lines after a request line', 'POST /callbacks HTTP/1.1\nA: 1: 2\n', [['A', '1: 2']]],
  ['repeated lines', 'A: 1\nA: 2\n', [['A', '1'], ['A', '2']]],
  ['an object', '{"A": "1", "b": ["2", "3"]}', [['A', '1'], ['b', '2'], ['b', '3']]],
  ['pairs', '[["A", "1"], ["A", "2"]]', [['A', '1'], ['A', '2']]],
  ['an object after whitespace', ' \n {"A": "1"}', [['A', '1']]],
  ['lines with brackets in them', 'A:{1}\nb:[2]', [['A', '{1}'], ['b', '[2]']]],
  ['blank lines between headers', 'A: 1\n  \n\t\nb: 2', [['A', '1'], ['b', '2']]],
  ['a first header that contains an HTTP version', 'Via: HTTP/1.1 proxy\nA: 1', [['Via', 'HTTP/1.1 proxy'], ['A', '1']]],
  ['a first header that contains a request line', 'X-Was: POST / HTTP/1.1', [['X-Was', 'POST / HTTP/1.1']]],
  ['empty input', '', []],
])('reads headers from %s', (_what, text, headers) => {
  expect(parse(text)).toEqual(headers);
}); // prettier-ignore

describe('a header file', () => {
  const LINE = 'is not a header; each line must be `Name: value`';
  const PAIR = 'a header needs a name and a string value';
  it.each<[string, string, number, number, string?, string?]>([
    ['a line without a colon', 'A: 1\nno header\n', 2, 1, LINE],
    ['a space before the colon', 'A : 1\n', 1, 1, LINE],
    ['a folded line', 'A: 1\n  more\n', 2, 1, LINE],
    ['a folded line with a colon', 'A: 1\n  more: 2\n', 2, 1, LINE],
    ['an empty name', ': 1\n', 1, 1, LINE],
    ['a status line after a header', 'A: 1\nHTTP/1.1 202 Accepted\n', 2, 1, LINE],
    ['a lowercase request line', 'post / HTTP/1.1\n', 1, 1, LINE],
    ['a different kind of line break', 'A: 1\u2028b: 2\n', 1, 1, LINE],
    ['invalid JSON', '{"A": "1",\n "b": }\n', 2, 7],
    ['a duplicate name', '{"A": "1",\n "A": "2"}\n', 2, 2],
    ['a value that is a number', '{"A": "1",\n "b": 2}\n', 2, 7, PAIR, 'b'],
    ['a list with a number', '{"A": ["1", 2]}\n', 1, 7, PAIR, 'A'],
    ['a name that is a number', '[["A", "1"],\n [1, "b"]]\n', 2, 2, PAIR, '[1]'],
    ['an entry that is not a pair', '[["A", "1"],\n "b"]\n', 2, 2, PAIR, '[1]'],
    ['a name without a value', '[["A"]]\n', 1, 2, PAIR, '[0]'],
    ['an entry that is null', '[null]\n', 1, 2, PAIR, '[0]'],
  ])('is rejected with the position of %s', (_what, text, line, column, message, path = '') => {
    const error = thrownBy(() => parse(text));
    expect(error).toBeInstanceOf(KnownError);
    const issue = { file: 'headers', line, column, ...(message !== undefined && { message, path }) };
    expect(error).toMatchObject({ code: 'input.invalid', issues: [issue] });
    if (message !== undefined) expect(error).toHaveProperty('message', 'headers cannot be read as headers.');
  });
});

test('reads lines, an object and pairs with the same result', () => {
  const name = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/).filter((it) => it !== '__proto__');
  const value = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
  const headers = fc.uniqueArray(fc.tuple(name, value), { selector: ([it]) => it, maxLength: 8 });
  fc.assert(
    fc.property(headers, fc.constantFrom('\n', '\r\n'), (pairs, end) => {
      expect(parse(pairs.map(([key, text]) => `${key}: ${text}${end}`).join(''))).toEqual(pairs);
      expect(parse(JSON.stringify(pairs))).toEqual(pairs);
      const byName = (a: readonly string[], b: readonly string[]): number => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1);
      expect(parse(JSON.stringify(Object.fromEntries(pairs))).sort(byName)).toEqual([...pairs].sort(byName));
    }),
  );
});

test('reads any text as headers or reports an issue with its position', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.json().map((text) => `[${text}]`),
      ),
      (text) => {
        try {
          parse(text);
        } catch (error) {
          expect(error).toMatchObject({
            code: 'input.invalid',
            issues: [{ file: 'headers', line: expect.any(Number) as number }],
          });
        }
      },
    ),
  );
});
