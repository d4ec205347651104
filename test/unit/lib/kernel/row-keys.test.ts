// Row keys remember the first row of each key, like a map, for any number of keys.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { createRowKeys } from '../../../../src/lib/kernel/row-keys.ts';

it("remembers a key's first row", () => {
  const keys = createRowKeys();
  const rows = new Map<string, number>();
  // The table grows several times, and keys are repeated both soon and much later.
  for (let row = 1; row <= 12_000; row++) {
    const key = `key ${row % 3 === 0 ? Math.floor(row / 2) : row}`;
    expect(keys.add(key, row)).toBe(rows.get(key));
    if (!rows.has(key)) rows.set(key, row);
  }
  for (const [key, row] of rows) expect(keys.add(key, 99_999)).toBe(row);
});

it('distinguishes keys whose hashes have the same first half, or the same second half and slot', () => {
  const colliding = [
    ['key 66081', 'key 66229'],
    ['key 323194', 'key 920347'],
  ];
  for (const [first = '', second = ''] of colliding) {
    const keys = createRowKeys();
    expect([keys.add(first, 1), keys.add(second, 2)]).toEqual([undefined, undefined]);
    expect([keys.add(first, 3), keys.add(second, 3)]).toEqual([1, 2]);
  }
});

it('distinguishes keys that differ in one character, including the empty key', () => {
  const keys = createRowKeys();
  expect(['', 'a', 'A', ' a', 'a '].map((key, index) => keys.add(key, index + 1))).toEqual(Array(5).fill(undefined));
  expect(['a ', ' a', 'A', 'a', ''].map((key) => keys.add(key, 9))).toEqual([5, 4, 3, 2, 1]);
});

it("keeps the keys outside V8's heap, whose limit tens of millions of rows would exceed", () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const keys = createRowKeys();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let row = 1; row <= 100_000; row++) keys.add(`person${row}@example.com`, row);
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(3_000_000);
  expect(keys.has('person100000@example.com')).toBe(true);
});
