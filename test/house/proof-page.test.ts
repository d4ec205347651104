// The table of guarantees in docs/proof.md is complete: each row names existing tests.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../helpers/root.ts';

const page = readFileSync(join(root, 'docs/proof.md'), 'utf8');
const rows = [...page.matchAll(/^\| (\d+) \|(.*)\|$/gm)].map(([, number = '', rest = '']) => ({
  number,
  cells: rest.split('|').map((cell) => cell.trim()),
}));

/** Returns the tests in a cell; a test without a folder is in the previous test's folder. */
function testsOf(cell: string): string[] {
  let folder = '';
  return [...cell.matchAll(/`([\w./-]+\.ts)`/g)].map(([, path = '']) => {
    if (path.includes('/')) folder = dirname(path);
    return path.includes('/') ? path : join(folder, path);
  });
}

test('numbers the guarantees in ascending order and fills the four cells of each row', () => {
  expect(rows.length).toBeGreaterThan(30);
  const numbers = rows.map(({ number }) => Number(number));
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
  expect(rows.filter(({ cells }) => cells.length !== 3 || cells.includes(''))).toEqual([]);
});

test.each(rows.map(({ number, cells }) => [number, cells[1] ?? ''] as const))(
  'refers only to existing tests in row %s',
  (_row, cell) => {
    const named = testsOf(cell);
    expect(named).not.toEqual([]);
    expect(named.filter((path) => !path.endsWith('.test.ts') || !existsSync(join(root, path)))).toEqual([]);
  },
);
