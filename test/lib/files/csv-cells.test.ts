// The CSV reader: what it reads, cut anywhere, is what was written; what is no CSV has its place.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCsvReader, csvLine, delimiterOf } from '../../../src/lib/files/csv-cells.ts';

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
    const { records } = readAll('a,b\r\n"x\ny",z\n\n"q""q",\n');
    expect(records.flat().map(({ column, line, text }) => [text, line, column])).toEqual([
      ['a', 1, 1],
      ['b', 1, 3],
      ['x\ny', 2, 1],
      ['z', 3, 4],
      ['q"q', 5, 1],
      ['', 5, 8],
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
    expect(readAll('a,b\r').records[0]?.[1]?.text).toBe('b\r');
    expect(readAll('').records).toEqual([]);
  });
});

it.each([
  ['a"b', 1, 2],
  ['"a"b', 1, 4],
  ['x\n"a\nb', 2, 1],
  ['a,\u0000', 1, 3],
])('%j is no CSV from there on', (text, line, column) => {
  expect(readAll(text).fault).toMatchObject({ line, column });
  expect(readAll(text, [1, 2, 3]).fault).toMatchObject({ line, column });
});

it.each([
  ['a,b;c,d', ','],
  ['a;b;c', ';'],
  ['a\tb', '\t'],
  ['"a;b;c",d', ','],
  ['email', ','],
])('%j is parted by %j', (heading, delimiter) => {
  expect(delimiterOf(heading)).toBe(delimiter);
});
