// CSV dialects of other programs: backslash escapes, separators, decimal commas.
import { describe, expect, it } from 'vitest';
import { type Dialect, SOURCES, withDecimalPoint } from '../../../../../src/lib/domain/csv/dialect.ts';
import { CsvFeed } from '../../../../../src/lib/domain/csv/feed.ts';
import type { KnownError } from '../../../../../src/lib/kernel/errors.ts';

function read(text: string, dialect: Dialect, size = text.length): (string[] | string)[] {
  const found: (string[] | string)[] = [];
  const feed = new CsvFeed(
    'a.csv',
    () => {
      const { fault } = feed.scan.record;
      found.push(fault ? `${feed.line}: ${fault.message}` : feed.scan.texts());
    },
    dialect,
  );
  const bytes = Buffer.from(text);
  try {
    for (let at = 0; at < bytes.length; at += size) feed.feed(bytes.subarray(at, at + size));
    feed.end();
  } catch (error) {
    found.push((error as KnownError).issues[0]?.message ?? '');
  }
  return found;
}

const INSIDE = 'an unquoted cell contains a quote; put the whole cell in quotes';
const AFTER_QUOTE = 'text follows a closing quote; to include a quote in a quoted cell, double it';

describe('a backslash', () => {
  it.each<[keyof typeof SOURCES, string, (string[] | string)[]]>([
    ['snowflake', 'a\\,b,c\\\\d,\\N,"x\\y"\nq\\\nr,2,3,4', [['a,b', 'c\\d', '\\N', 'x\\y'], ['q\nr', '2', '3', '4']]],
    ['redshift', 'a\\|b|"q\\"r"|\\N\n1|2|x\\\\\n', [['a|b', 'q"r', '\\N'], ['1', '2', 'x\\']]],
    ['redshift', '1|"a\\\nb"|\r\n2||\\', [['1', 'a\nb', ''], ['2', '', '\\']]],
    ['spark', '"a \\"b\\"",c\\d,"e\\\\f\\g"\n"a""b",,', [['a "b"', 'c\\d', 'e\\f\\g'], ['a"b', '', '']]],
    ['spark', 'a\\"b,c\n"x\\\\"y,z\n"x\\"y",z', [`1: ${INSIDE}`, `2: ${AFTER_QUOTE}`, ['x"y', 'z']]],
    ['spark', 'a,b\n1,"x\\"', [['a', 'b'], 'this cell starts with a quote that is never closed']],
  ])('is an escape character in a file from %s: %j', (source, text, rows) => {
    for (const size of [1, 3, text.length]) expect(read(text, SOURCES[source], size), String(size)).toEqual(rows);
  }); // prettier-ignore

  it('is an ordinary character in other files', () => {
    expect(read('a\\,b\n', {})).toEqual([['a\\', 'b']]);
  });
});

it('prefers an explicit separator over the most frequent separator in the header', () => {
  expect(read('a;b,c\n', { separator: ',' })).toEqual([['a;b', 'c']]);
  expect(read('a;b;c,d\n', {})).toEqual([['a', 'b', 'c,d']]);
});

it.each([
  ['1,5', '1.5'],
  ['-1.234,50', '-1234.50'],
  ['1234567,8', '1234567.8'],
  ['12', '12'],
  ['0.5', '0.5'],
  ['1.23,4', '1.23,4'],
  ['x,1', 'x,1'],
])('converts %j with a decimal comma to %j', (text, number) => {
  expect(withDecimalPoint(text)).toBe(number);
});

it.each(['1.234', '-1.234.567'])('does not convert %j, which may contain thousands separators', (text) => {
  expect(withDecimalPoint(text)).toBeUndefined();
});

it.each([
  ['1,234', '1.234'],
  ['-12,345', '-12.345'],
])('does not convert %j in a file with tabs, where a comma may separate thousands', (text, number) => {
  expect(withDecimalPoint(text, true)).toBeUndefined();
  expect(withDecimalPoint(text)).toBe(number);
  expect(withDecimalPoint('1.234,567', true)).toBe('1234.567');
});
