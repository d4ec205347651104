import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonErrorOffset } from '../../../src/lib/kernel/json-syntax.ts';
import { parseJson } from '../../../src/lib/kernel/json.ts';

describe('jsonErrorOffset', () => {
  it.each([
    ['{"a": x}', 6],
    ['{"a": 1,}', 8],
    ['{"a": 1', 7],
    ['', 0],
    ['  ', 2],
    ['[1 2]', 3],
    ['{"a" 1}', 5],
    ['{"a": tru\n}', 6],
    ['[01]', 2],
    ['"a\nb"', 0],
    ['{} {}', 3],
    ['[}', 1],
    ["{'a': 1}", 1],
    ['{"a": "\\x"}', 6],
  ])('%j stops at %i', (text, offset) => {
    expect(jsonErrorOffset(text)).toBe(offset);
  });

  it('reads a string of megabytes, which would overflow a pattern', () => {
    const long = JSON.stringify({ id: 12345678901234567890n.toString(), text: 'a\n'.repeat(6_000_000) });
    expect(jsonErrorOffset(long)).toBeUndefined();
    expect(parseJson(long.replace('"12345678901234567890"', '12345678901234567890'))).toMatchObject({
      id: 12345678901234567890n,
    });
  });

  it('agrees with JSON.parse on whether a text is JSON, for valid texts and for damaged ones', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', ',', '"', '}', ']', 'x', '0', '\\', '\n'),
        (text, at, damage) => {
          const place = at % (text.length + 1);
          const damaged = text.slice(0, place) + damage + text.slice(place + 1);
          for (const candidate of [text, damaged]) {
            let valid = true;
            try {
              JSON.parse(candidate);
            } catch {
              valid = false;
            }
            expect(jsonErrorOffset(candidate) === undefined, candidate).toBe(valid);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
