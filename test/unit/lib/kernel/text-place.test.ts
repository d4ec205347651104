// Converts an offset to a line and a column.
import { expect, it } from 'vitest';
import { placeAt } from '../../../../src/lib/kernel/errors.ts';

it.each([
  ['', 0, 1, 1],
  ['ab', 1, 1, 2],
  ['ab', 2, 1, 3],
  ['a\n', 1, 1, 2],
  ['a\n', 2, 2, 1],
  ['a\n\nbc', 4, 3, 2],
  ['a\r\nb', 3, 2, 1],
  ['😀x', 2, 1, 3],
])('in %j, converts offset %i to line %i, column %i', (text, offset, line, column) => {
  expect(placeAt(text, offset)).toEqual({ line, column });
});
