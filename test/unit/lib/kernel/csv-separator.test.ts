// Detects the cell separator from the headings.
import { expect, it } from 'vitest';
import { separatorOf } from '../../../../src/lib/kernel/csv.ts';

it.each([
  ['', ','],
  ['email', ','],
  ['a,b;c,d', ','],
  ['a;b;c', ';'],
  ['a\tb', '\t'],
  ['a;b\tc\td', '\t'],
  ['a;b;c,d', ';'],
  // The first separator wins a tie.
  ['a;b,c', ','],
  ['a\tb;c', ';'],
  // Separators in quotes do not count.
  ['"a;b;c",d', ','],
  ['"a,b,c";d', ';'],
  ['"a;b","c;d;e"', ','],
])('reads the header %j with the separator %j', (headings, separator) => {
  expect(separatorOf(headings)).toBe(separator);
});
