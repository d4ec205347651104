// Parses rates such as 600/m.
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { parseRate } from '../../../../src/lib/kernel/timestamps.ts';

it.each<[string, number]>([
  ['1', 1],
  ['600/m', 10],
  [' 9000/h ', 2.5],
  ['0.5', 0.5],
])('parses %j as %d per second', (text, rate) => {
  expect(parseRate(text)).toBe(rate);
});

it.each(['0', '0/m', '-1', '1e3', '.5', '1/d', '1 /m', '', 'Infinity', '9999999999'])('rejects %j', (text) => {
  expect(parseRate(text)).toBeUndefined();
});

test('returns a finite rate above 0, or no rate, for any text', () => {
  const near = fc.stringMatching(/^ ?\d{0,10}(\.\d{0,7})?(\/?[smhd])? ?$/);
  fc.assert(
    fc.property(fc.oneof(near, fc.string()), (text) => {
      const rate = parseRate(text);
      return rate === undefined || (Number.isFinite(rate) && rate > 0);
    }),
  );
});

test('parses an integer rate per second, per minute or per hour', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 999_999_999 }),
      fc.constantFrom(['s', 1], ['m', 60], ['h', 3600]),
      (n, unit) => {
        const [name, seconds] = unit as [string, number];
        return parseRate(`${n}/${name}`) === n / seconds;
      },
    ),
  );
});
