// A batch is filled again and again: nothing of the rows before may be left in it.
import { expect, test } from 'vitest';
import { Batch } from '../../../../src/lib/domain/seed/batch.ts';

function add(batch: Batch, text: string, position: number): void {
  const bytes = Buffer.from(`${text}\n`);
  batch.add(bytes, 0, bytes.length - 1, position);
}

test('nothing is left of the rows before', () => {
  const batch = new Batch(Buffer.alloc(1024));
  batch.begin(0, 0);
  add(batch, '{"a":1}', 1);
  add(batch, '{"a":22}', 2);
  batch.refused.push({ position: 3, line: 3, issues: [{ path: '', message: 'wrong' }], original: 'x' });
  batch.endOffset = 40;
  const { refused } = batch;

  batch.begin(1, 7);
  expect(batch).toMatchObject({ file: 1, from: 7, to: 7, endOffset: -1, count: 0, size: 1, refused: [] });
  add(batch, '{"b":3}', 9);
  expect(batch.body().toString()).toBe('[{"b":3}]');
  expect(batch).toMatchObject({ from: 7, to: 9, count: 1 });
  expect(batch.position(0)).toBe(9);
  // Whoever still holds the refused rows of before keeps them.
  expect(refused).toHaveLength(1);
});

test('it takes more rows than most have', () => {
  const batch = new Batch(Buffer.alloc(10_000));
  batch.begin(0, 0);
  const rows = Array.from({ length: 1000 }, (_, index) => index);
  for (const row of rows) add(batch, String(row), 2 ** 40 + row);
  expect(JSON.parse(batch.body().toString())).toEqual(rows);
  expect(rows.map((row) => batch.position(row) - 2 ** 40)).toEqual(rows);
  expect(batch.row(999).toString()).toBe('999');
  expect(batch.bodyOf([0, 500, 999]).toString()).toBe('[0,500,999]');
});
