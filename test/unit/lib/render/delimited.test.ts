// Lists for other programs: CSV that preserves every value, and tab-separated lines.
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { toCsv, toTabbed } from '../../../../src/lib/render/delimited.ts';
import type { CellValue, Column } from '../../../../src/lib/render/view.ts';

const columns: Column<CellValue[]>[] = [0, 1].map((index) => ({ key: `field_${index}`, value: (row) => row[index] }));

/** Removes the apostrophe that the program adds before a formula. */
function removeGuard(cell: string): string {
  return /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}

describe('CSV output', () => {
  it.each<[CellValue, string]>([
    ['plain', 'plain'],
    [null, ''],
    [undefined, ''],
    [-5, '-5'],
    ['-5.2e3', '-5.2e3'],
    [9223372036854775807n, '9223372036854775807'],
    [-9223372036854775808n, '-9223372036854775808'],
    ['=1+1', "'=1+1"],
    ['+cmd', "'+cmd"],
    ['-cmd', "'-cmd"],
    ['@sum', "'@sum"],
    ["'=1", "''=1"],
    ["it's", "it's"],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    [' padded', '" padded"'],
    ['=a,b', '"\'=a,b"'],
  ])('contains the value `%s` as `%s`', (value, expected) => {
    expect(toCsv([[value, 'x']], columns, false)).toBe(`${expected},x\n`);
  });

  test('preserves every string', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.constantFrom("'", '=', '-', '+', '@', '\t', '\r', '\n', '"', ',', ' ', '7'))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { minLength: 1 }), (rows) => {
        const read = parse(toCsv(rows, columns, true), { from_line: 1, relax_column_count: false }) as string[][];
        expect(read.slice(1).map((cells) => cells.map(removeGuard))).toEqual(rows);
      }),
    );
  });
});

test('writes tab-separated lines with exactly one cell per column, for any content', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string())), (rows) => {
      const lines = toTabbed(rows, columns, true).split('\n');
      expect(lines[0]).toBe('FIELD 0\tFIELD 1');
      expect(lines).toHaveLength(rows.length + 2);
      for (const line of lines.slice(0, -1)) expect(line.split('\t')).toHaveLength(2);
    }),
  );
});
