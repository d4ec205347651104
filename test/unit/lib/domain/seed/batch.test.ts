// Fills, reads and reuses a batch of rows.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Batch, reasonOf } from '../../../../../src/lib/domain/seed/batch.ts';
import { runs } from '../../../../helpers/size.ts';

function add(batch: Batch, text: string, position: number, line = position): void {
  const bytes = Buffer.from(`${text}\n`);
  batch.add(bytes, 0, bytes.length - 1, position, line);
  batch.keep();
}

test('clears earlier rows when a batch is reused', () => {
  const batch = new Batch(Buffer.alloc(1024));
  batch.begin(0, 0);
  add(batch, '{"a":1}', 1, 33);
  add(batch, '{"a":22}', 2);
  batch.rejected.push({ position: 3, line: 3, issues: [{ path: '', message: 'wrong' }], original: 'x' });
  batch.endOffset = 40;
  const { rejected } = batch;

  batch.begin(1, 7);
  expect(batch).toMatchObject({ file: 1, from: 7, to: 7, endOffset: -1, count: 0, size: 1, rejected: [] });
  add(batch, '{"b":3}', 9);
  expect(batch.body().toString()).toBe('[{"b":3}]');
  expect(batch).toMatchObject({ from: 7, to: 9, count: 1 });
  expect(batch.line(0)).toBe(9);
  // The rejected rows of the earlier batch are still available.
  expect(rejected).toHaveLength(1);
});

test('accepts many more rows than a batch usually contains', () => {
  const batch = new Batch(Buffer.alloc(10_000));
  batch.begin(0, 0);
  const rows = Array.from({ length: 1000 }, (_, index) => index);
  for (const row of rows) add(batch, String(row), 2 ** 40 + row);
  expect(JSON.parse(batch.body().toString())).toEqual(rows);
  expect(rows.map((row) => batch.line(row) - 2 ** 40)).toEqual(rows);
  expect(batch.row(999).toString()).toBe('999');
  expect(batch.bodyOf([0, 500, 999]).toString()).toBe('[0,500,999]');
});

test('copies rows, in order, so that their source can be overwritten', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 0, max: 10 }),
      (texts, more) => {
        const batch = new Batch(Buffer.alloc(JSON.stringify(texts).length + more));
        batch.begin(0, 0);
        const lines = texts.map((text) => JSON.stringify(text));
        for (const source of [lines.slice(0, more).join('\n'), lines.slice(more).join('\n\n')].map((text) =>
          Buffer.from(text),
        )) {
          for (const { 0: text, index } of source.toString().matchAll(/.+/g))
            batch.add(source, index, index + text.length, index, index);
          batch.keep();
          source.fill('#');
        }
        expect(texts.map((_, index) => batch.row(index).toString())).toEqual(texts.map((text) => `"${text}"`));
        expect(batch.body().toString()).toBe(JSON.stringify(texts));
        expect(batch.size).toBe(batch.body().length);
      },
    ),
    runs(1000),
  );
});

test('fills a batch to the last byte, and enlarges it for a single row that does not fit', () => {
  const batch = new Batch(Buffer.alloc(10));
  batch.begin(0, 0);
  add(batch, '1234', 1);
  add(batch, '567', 2);
  expect([batch.body().toString(), batch.capacity]).toEqual(['[1234,567]', 10]);
  for (const row of ['12345678', '123456789', '1234567890123']) {
    batch.begin(0, 0);
    add(batch, row, 1);
    expect(batch.body().toString()).toBe(`[${row}]`);
  }
  expect(batch.capacity).toBe(15);
});

test("prints a row's issues on one line, each after its path", () => {
  const issue = (path: string, message: string) => ({ path, message });
  expect(reasonOf([issue('', 'is no JSON')])).toBe('is no JSON');
  expect(reasonOf([issue('xpid', 'is missing'), issue('', 'is odd')])).toBe('xpid: is missing; is odd');
});
