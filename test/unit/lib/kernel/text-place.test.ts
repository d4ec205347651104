// Converts an offset to a line and a column.
import { expect, it } from 'vitest';
import { placeAt } from '../../../../src/lib/kernel/errors.ts';

it.each([
  [0, '', 1, 1],
  [1, 'ab', 1, 2],
  [2, 'ab', 1, 3],
  [1, 'a\n', 1, 2],
  [2, 'a\n', 2, 1],
  [4, 'a\n\nbc', 3, 2],
  [3, 'a\r\nb', 2, 1],
  [2, '😀x', 1, 3],
])('converts offset %i in %j to line %i, column %i', (offset, text, line, column) => {
  expect(placeAt(text, offset)).toEqual({ line, column });
});
