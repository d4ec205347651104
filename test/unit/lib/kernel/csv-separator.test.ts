// Detects the separator of a CSV file from its header.
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
  // If several separators are equally frequent, the first one wins.
  ['a;b,c', ','],
  ['a\tb;c', ';'],
  // Separators in quotes do not count.
  ['"a;b;c",d', ','],
  ['"a,b,c";d', ';'],
  ['"a;b","c;d;e"', ','],
])('reads the header %j with the separator %j', (headings, separator) => {
  expect(separatorOf(headings)).toBe(separator);
});
