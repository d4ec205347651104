// The CSV reader returns rows as they were written, wherever chunks end, and reports the position of each error.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvFeed } from '../../../../../src/lib/domain/csv/feed.ts';
import { csvLine } from '../../../../../src/lib/kernel/csv.ts';
import type { KnownError } from '../../../../../src/lib/kernel/errors.ts';

interface Found {
  records: { texts: string[]; line: number; source: string }[];
  faults: { line: number; column: number; message: string }[];
}

/** Reads a header line and the text in chunks split at `cuts`. Positions in the result do not count the header line. */
function readAll(text: string, cuts: readonly number[] = [], delimiter = ','): Found {
  const bytes = Buffer.from(`h${delimiter}h\n${text}`);
  const found: Found = { records: [], faults: [] };
  const note = (error: unknown): void => {
    const [issue] = (error as KnownError).issues;
    found.faults.push({ line: (issue?.line ?? 0) - 1, column: issue?.column ?? 0, message: issue?.message ?? '' });
  };
  const feed = new CsvFeed('a.csv', () => {
    const { fault } = feed.scan.record;
    if (fault) note(feed.error(fault.message, fault.at));
    else found.records.push({ texts: feed.scan.texts(), line: feed.line - 1, source: feed.source });
  });
  const edges = [0, ...[...cuts].map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  try {
    for (const [index, end] of edges.slice(1).entries()) feed.feed(bytes.subarray(edges[index], end));
    feed.end();
  } catch (error) {
    note(error);
  }
  return { ...found, records: found.records.slice(1) };
}

const textsIn = (text: string, cuts?: readonly number[], delimiter?: string): string[][] =>
  readAll(text, cuts, delimiter).records.map(({ texts }) => texts);

const cell = fc.string({ unit: fc.constantFrom('a', 'é', '😀', ',', '"', '\n', '\r', ' ', ';', '=') });

describe('CSV rows', () => {
  it('are read back as they were written, wherever chunks end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        fc.constantFrom(',', ';', '\t', '|'),
        (rows, cuts, delimiter) => {
          const text = rows.map((row) => csvLine(row, delimiter)).join('');
          expect(readAll(text, cuts, delimiter).faults).toEqual([]);
          const filled = rows.filter((row) => row.some((one) => one !== ''));
          expect(textsIn(text, cuts, delimiter)).toEqual(filled);
        },
      ),
    );
  });

  it('have the number of the line on which they start, even after newlines in quotes', () => {
    const { records } = readAll('a,b\r\n"x\ny",z\n\n"q""q",\n1,2');
    expect(records.map(({ line, source }) => [line, source])).toEqual([
      [1, 'a,b'],
      [2, '"x\ny",z'],
      [5, '"q""q",'],
      [6, '1,2'],
    ]);
  });

  it.each(['\n', '\r\n'])('do not include empty lines that end with %j', (end) => {
    const text = ['a,b', '', '1,2', '', '', '3,4', '', ''].join(end);
    expect(textsIn(text, [10, 11])).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
    ]);
    expect(readAll(text).records[2]?.line).toBe(6);
  });

  it('include the last line, with or without a trailing newline', () => {
    expect(textsIn('a,b')).toEqual([['a', 'b']]);
    for (const last of ['1,', '1,""', '"",']) expect(textsIn(`a,b\n${last}`), last).toHaveLength(2);
    expect(textsIn('a,b\n')).toHaveLength(1);
    // Excel writes lines with only separators after the last row.
    expect(textsIn('a,b\n,\n1,\n,')).toEqual([
      ['a', 'b'],
      ['1', ''],
    ]);
    expect(textsIn('')).toEqual([]);
  });
});

const OPEN = 'this cell starts with a quote that is never closed';
const AFTER_QUOTE = 'text follows a closing quote; to include a quote in a quoted cell, double it';
const INSIDE = 'an unquoted cell contains a quote; put the whole cell in quotes';
it.each([
  ['a"b', 1, 2, INSIDE],
  ['a,b"', 1, 4, INSIDE],
  ['"a"b', 1, 4, AFTER_QUOTE],
  ['"a" ', 1, 4, AFTER_QUOTE],
  ['"x\ny"z', 2, 3, AFTER_QUOTE],
  ['é,"€" ', 1, 6, AFTER_QUOTE],
  ['x\n"a\nb', 2, 1, OPEN],
  ['x,"', 1, 3, OPEN],
  ['x,"a""', 1, 3, OPEN],
])('reports the quoting error in %j', (text, line, column, message) => {
  for (const cuts of [[], [5, 6, 7]]) {
    expect(readAll(text, cuts).faults[0]).toEqual({ line, column, message });
  }
});

it('continues with the record after a quoting error', () => {
  const { faults, records } = readAll('a,b\nc,d"\ne,f\n');
  expect(faults).toHaveLength(1);
  expect(records.map(({ texts }) => texts)).toEqual([
    ['a', 'b'],
    ['e', 'f'],
  ]);
});

it('reports an unclosed quote at the row size limit, before the input ends', () => {
  const chunk = Buffer.from('x'.repeat(1024 * 1024));
  const feed = new CsvFeed('a.csv', () => undefined);
  feed.feed(Buffer.from('a,b\nc,"'));
  const feedAll = (): void => {
    for (let count = 0; count < 40; count++) feed.feed(chunk);
  };
  expect(feedAll).toThrow(
    expect.objectContaining({ issues: [expect.objectContaining({ line: 2, column: 3, message: OPEN })] }) as Error,
  );
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
])('writes the cell %j as %s', (text, written) => {
  expect(csvLine([text, 'x'])).toBe(`${written},x\n`);
});

it('writes cells with the requested delimiter', () => {
  expect(csvLine(['a;b', 'c,d'], ';')).toBe('"a;b";c,d\n');
});
