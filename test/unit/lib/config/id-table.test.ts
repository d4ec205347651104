// Numbers of ids: the same as a map would give, for UUIDs and for any other text.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createIdTable } from '../../../../src/lib/config/id-table.ts';

it('numbers ids by their first appearance', () => {
  const table = createIdTable();
  const ids = Array.from({ length: 5000 }, (_, index) => (index % 7 === 0 ? `text ${index}` : randomUUID()));
  ids.push(ids[0]?.toUpperCase() ?? '', '', '__proto__');
  const numbers = new Map<string, number>();
  for (const id of [...ids, ...ids]) {
    const number = numbers.get(id) ?? numbers.size;
    numbers.set(id, number);
    expect(table.add(id)).toBe(number);
  }
  expect(table.size).toBe(numbers.size);
  for (const [id, number] of numbers) expect(table.find(id)).toBe(number);
  expect(table.find(randomUUID())).toBeUndefined();
});
