// The CSV reader: what it reads, cut anywhere, is what was written; what is no CSV has its place.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCsvReader, csvLine } from '../../../src/lib/files/csv-cells.ts';

function readAll(text: string, cuts: readonly number[] = [], delimiter = ',') {
  const reader = createCsvReader(delimiter);
  const edges = [0, ...[...cuts].map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
  const records = edges.slice(1).flatMap((end, index) => reader.push(text.slice(edges[index], end)));
  records.push(...reader.end());
  return { fault: reader.fault, records };
}

const cell = fc.string({ unit: fc.constantFrom('a', 'é', '😀', ',', '"', '\n', '\r', ' ', ';', '=') });

describe('rows', () => {
  it('come back as they were written, however the text is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        fc.constantFrom(',', ';', '\t'),
        (rows, cuts, delimiter) => {
          const text = rows.map((row) => csvLine(row, delimiter)).join('');
          const { fault, records } = readAll(text, cuts, delimiter);
          expect(fault).toBeUndefined();
          expect(records.map((record) => record.map((item) => item.text))).toEqual(rows);
        },
      ),
    );
  });

  it('know where each cell stands, also behind line feeds within quotes', () => {
    const { records } = readAll('a,b\r\n"x\ny",z\n\n"q""q",\naa,"b\n\nbb",ccc,d\n');
    expect(records.flat().map(({ column, line, text }) => [text, line, column])).toEqual([
      ['a', 1, 1],
      ['b', 1, 3],
      ['x\ny', 2, 1],
      ['z', 3, 4],
      ['q"q', 5, 1],
      ['', 5, 8],
      ['aa', 6, 1],
      ['b\n\nbb', 6, 4],
      ['ccc', 8, 5],
      ['d', 8, 9],
    ]);
  });

  it.each(['\n', '\r\n'])('are none where nothing stands on a line, ended by %j', (end) => {
    const { records } = readAll(['a,b', '', '1,2', '', '', '3,4', '', ''].join(end), [6, 7]);
    expect(records.map((record) => record.map((item) => item.text))).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
    ]);
    expect(records[2]?.[0]).toEqual({ text: '3', line: 6, column: 1 });
  });

  it('end with the text, line feed or not', () => {
    expect(readAll('a,b').records).toHaveLength(1);
    for (const last of ['1,', ',', '1,""', '"",']) expect(readAll(`a,b\n${last}`).records, last).toHaveLength(2);
    for (const last of ['', '""']) expect(readAll(`a,b\n${last}`).records, last).toHaveLength(1);
    expect(readAll('a,b\r').records[0]?.[1]?.text).toBe('b\r');
    expect(readAll('').records).toEqual([]);
  });
});

const OPEN = 'this cell begins with a quote that is never closed';
const BEHIND = 'text follows a closing quote; a quote within quotes is written twice';
const INSIDE = 'a quote stands inside an unquoted cell; put the whole cell in quotes';
const NUL = 'a NUL character stands here; is this a text file?';
it.each([
  ['a"b', 1, 2, INSIDE],
  ['a,b"', 1, 4, INSIDE],
  ['"a"b', 1, 4, BEHIND],
  ['"a" ', 1, 4, BEHIND],
  ['"x\ny"\u0000', 2, 3, BEHIND],
  ['"a"\r', 1, 4, BEHIND],
  ['x\n"a\nb', 2, 1, OPEN],
  ['x,"', 1, 3, OPEN],
  ['x,"a""', 1, 3, OPEN],
  ['a,\u0000', 1, 3, NUL],
  ['\u0000', 1, 1, NUL],
  ['a\u0000', 1, 2, NUL],
])('%j is no CSV from there on', (text, line, column, message) => {
  for (const cuts of [[], [1, 2, 3]]) {
    const { fault } = readAll(text, cuts);
    expect(fault).toEqual({ line, column, message });
  }
});

it('nothing is read behind what is no CSV', () => {
  const reader = createCsvReader(',');
  expect(reader.push('a\nb"\nc\n').map(([first]) => first?.text)).toEqual(['a']);
  const { fault } = reader;
  expect(reader.push('d\n"x')).toEqual([]);
  expect(reader.end()).toEqual([]);
  expect(reader.fault).toBe(fault);
});

it('a quote that is open for a megabyte is a mistake', () => {
  const MEGABYTE = 'x'.repeat(1024 * 1024);
  expect(readAll(`a,"${MEGABYTE}"\n`).records[0]?.[1]?.text).toBe(MEGABYTE);
  expect(readAll(`a,"${MEGABYTE}x"\n`).fault).toEqual({ line: 1, column: 3, message: OPEN });
  // It is told before the file has ended.
  const reader = createCsvReader(',');
  for (let piece = 0; piece < 3; piece++) reader.push(piece === 0 ? 'a\nb,"' : MEGABYTE);
  expect(reader.fault).toEqual({ line: 2, column: 3, message: OPEN });
});

it.each([
  ['plain', 'plain'],
  ['', ''],
  ['a b;c\td', 'a b;c\td'],
  ['a,b', '"a,b"'],
  ['say "no"', '"say ""no"""'],
  ['two\nlines', '"two\nlines"'],
  ['two\rlines', '"two\rlines"'],
  [' before', '" before"'],
  ['behind ', '"behind "'],
])('the cell %j is written %s', (text, written) => {
  expect(csvLine([text, 'x'])).toBe(`${written},x\n`);
});

it('is written with the delimiter that is wanted', () => {
  expect(csvLine(['a;b', 'c,d'], ';')).toBe('"a;b";c,d\n');
});
