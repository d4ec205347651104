// Reads CSV records from bytes: where each record ends, its cells, and whether they can be copied without unescaping.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf, RecordScan } from '../../../../../src/lib/domain/csv/record.ts';
import { runs } from '../../../../helpers/size.ts';

const COMMA = 0x2c;

/**
 * Returns the record that starts at `at`, or undefined if it does not end by `limit` (by default, the last newline).
 */
function found(text: string, at = 0, limit = Buffer.from(text).lastIndexOf('\n')) {
  const scan = new RecordScan();
  const bytes = Buffer.from(text);
  if (!scan.read(bytes, at, limit, COMMA)) return undefined;
  const { start, end, next, count, lines, isPlain } = scan.record;
  return { text: bytes.toString('utf8', start, end), next, count, lines, isPlain, cells: scan.texts() };
}

describe('a CSV record', () => {
  it.each<[string, string[], { text?: string; lines?: number; isPlain?: boolean }]>([
    ['a,b\n', ['a', 'b'], {}],
    ['a,b\r\n', ['a', 'b'], { text: 'a,b' }],
    ['\n', [''], {}],
    ['\r\n', [''], { text: '' }],
    [',\n', ['', ''], {}],
    ['a,\r\n', ['a', ''], { text: 'a,' }],
    ['a\r,b\n', ['a\r', 'b'], {}],
    ['"a","b"\n', ['a', 'b'], {}],
    ['"a","b"\r\n', ['a', 'b'], { text: '"a","b"' }],
    ['"",""\n', ['', ''], {}],
    ['"a,b",c\n', ['a,b', 'c'], {}],
    ['"a\nb\r\nc"\n', ['a\nb\r\nc'], { lines: 3 }],
    ['"a\r"\n', ['a\r'], {}],
    ['"a""b"\n', ['a"b'], { isPlain: false }],
    ['""""\n', ['"'], { isPlain: false }],
    ['"""a""",b\n', ['"a"', 'b'], { isPlain: false }],
    ['"é",€\n', ['é', '€'], {}],
  ])('is read from %j', (text, cells, { text: own = text.slice(0, -1), lines = 1, isPlain = true }) => {
    const next = Buffer.byteLength(text);
    expect(found(text)).toEqual({ text: own, next, count: cells.length, lines, isPlain, cells });
    // Read the record again, between two other records.
    const before = 'x,"y"\n';
    const between = found(`${before}${text}z\n`, before.length);
    expect(between).toEqual({ text: own, next: next + before.length, count: cells.length, lines, isPlain, cells });
  });

  it.each([
    ['"a"b,c\n', 3],
    ['c,"a"b\r\n', 5],
    ['"a"b"\n', 3],
    ['a"b",c\n', 1],
    ['a,"b",c"\n', 7],
  ])('has a fault at the offset of a misplaced quote: %j', (text, at) => {
    const scan = new RecordScan();
    const bytes = Buffer.from(`x\n${text}y\n`);
    expect(scan.read(bytes, 2, bytes.length - 1, 0x2c)).toBe(true);
    expect(scan.record.fault?.at).toBe(at + 2);
    expect(scan.read(bytes, scan.record.next, bytes.length - 1, 0x2c)).toBe(true);
    expect(scan.record.fault).toBeUndefined();
  });

  it.each(['"a\n', '"a\nb,c\n', '"a""\n', 'a,"\n', '"\n'])('is not returned if it is incomplete: %j', (text) => {
    expect(found(text)).toBeUndefined();
  });

  it('is not returned if it ends beyond the limit', () => {
    const text = '"a\n"\n';
    expect(found(text, 0, 2)).toBeUndefined();
    expect(found(text, 0, 4)).toMatchObject({ cells: ['a\n'], lines: 2 });
    expect(found('"a"\n"', 0, 3)).toMatchObject({ cells: ['a'], next: 4 });
    expect(found('a\n"', 0, 1)).toMatchObject({ cells: ['a'], next: 2 });
  });

  it('is read with any number of cells, even if the previous record had a different number', () => {
    const scan = new RecordScan();
    for (const count of [1, 63, 64, 65, 300, 2]) {
      const cells = Array.from({ length: count }, (_, index) => `cell ${index}`);
      const bytes = Buffer.from(`${cells.join(';')}\n`);
      expect(scan.read(bytes, 0, bytes.length - 1, 0x3b)).toBe(true);
      expect(scan.record.count).toBe(count);
      expect(scan.texts()).toEqual(cells);
      expect(scan.cells.starts.length).toBeGreaterThanOrEqual(count);
    }
  });

  it('is read back as it was written, with required and optional quotes', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '😀'), maxLength: 6 });
    const cell = fc.tuple(text, fc.boolean()).map(([value, isQuoted]) => ({
      value,
      written: isQuoted || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value,
    }));
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), fc.constantFrom('\n', '\r\n'), (cells, end) => {
        const record = `${cells.map(({ written }) => written).join(',')}${end}`;
        const read = found(record);
        expect(read).toMatchObject({
          cells: cells.map(({ value }) => value),
          isPlain: !cells.some(({ value }) => value.includes('"')),
          lines: record.split('\n').length - 1,
          next: Buffer.byteLength(record),
        });
      }),
      runs(2000),
    );
  });
});

it.each([[['a']], [['', 'é', '', 'a,"b"\nc']], [[]]])('joins cells into one buffer: %j', (texts) => {
  const { bytes, starts, ends } = cellsOf(texts);
  expect(texts.map((_text, index) => bytes.toString('utf8', starts[index], ends[index]))).toEqual(texts);
  // A newline follows each cell.
  expect(texts.map((_text, index) => bytes[ends[index] ?? -1])).toEqual(texts.map(() => 0x0a));
});
