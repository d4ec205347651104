// Tests the aggregation of members' values in a group instance.
import { expect, test } from 'vitest';
import type { Aggregation } from '../../../../../src/lib/contract/choices.ts';
import { aggregate } from '../../../../../src/lib/emulator/profiles/group-aggregation.ts';

/** Returns members with these values of one attribute, modified on consecutive days. */
function membersWith(values: unknown[]) {
  return values.map((value, index) => ({
    user_attributes: value === undefined ? {} : { a: value },
    last_modified_on: `2026-01-0${index + 1}T00:00:00.000Z`,
  }));
}

test.each<[Aggregation, unknown[], unknown]>([
  ['latest', ['x', 'y'], 'y'],
  ['latest', ['x', undefined], 'x'],
  ['latest', ['x', null], 'x'],
  ['latest', [undefined, null], undefined],
  ['boolean_or', [false, true], true],
  ['boolean_or', ['false', 'True'], true],
  ['boolean_or', [0, 1], true],
  ['boolean_or', ['no', 2, 'false'], false],
  ['boolean_or', [undefined], false],
  ['sum', [1, '2.5', 3n], 6.5],
  ['sum', ['x', undefined], undefined],
  ['sum', ['', ' ', '0x10', 4], 4],
  ['average', [1, '2', undefined, 'x'], 1.5],
  ['average', [], undefined],
])('computes the %s of %o as %o', (type, values, expected) => {
  expect(aggregate([{ id: 'a', type }], membersWith(values))).toEqual(expected === undefined ? {} : { a: expected });
});

test('uses the most recently modified member for `latest`, in any order', () => {
  const members = membersWith(['x', 'y']).reverse();
  expect(aggregate([{ id: 'a', type: 'latest' }], members)).toEqual({ a: 'y' });
});

test('aggregates each attribute separately, even if it is named constructor', () => {
  const attributes = [
    { id: 'a', type: 'sum' as const },
    { id: 'constructor', type: 'latest' as const },
  ];
  expect(aggregate(attributes, membersWith([1, 2]))).toEqual({ a: 3 });
});
