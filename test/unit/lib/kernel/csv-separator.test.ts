// Which sign parts the cells, by the headings.
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
  // Of equals the first.
  ['a;b,c', ','],
  ['a\tb;c', ';'],
  // What stands in quotes does not count.
  ['"a;b;c",d', ','],
  ['"a,b,c";d', ';'],
  ['"a;b","c;d;e"', ','],
])('%j is parted by %j', (headings, sign) => {
  expect(separatorOf(headings)).toBe(sign);
});
