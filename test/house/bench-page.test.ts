// The committed benchmark page has the metrics and limits that `npm run bench` uses now.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIGURES } from '../../bench/figures.mjs';
import { root } from '../helpers/root.ts';

const page = readFileSync(join(root, 'bench/results.md'), 'utf8');
const rows = [...page.matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) => row.split(' | '));
const measured = rows.filter(([metric, result]) => result !== undefined && metric !== 'Metric');

test('lists each metric once, with its guarantee and its goal', () => {
  const limitsOf = ({ name, must, goal, bound }: (typeof FIGURES)[keyof typeof FIGURES]) => {
    const sign = bound === 'least' ? '≥' : '≤';
    return [name, ...[must, goal].map((limit) => (limit === undefined ? '' : `${sign} ${limit}`))];
  };
  const listed = measured.map(([metric, , , must, goal]) => [metric, must?.trim(), goal?.trim()]);
  expect(listed.sort()).toEqual(Object.values(FIGURES).map(limitsOf).sort());
});

test.each([
  ['Guarantees missed', 'MISSED'],
  ['Goals missed', 'goal missed'],
])('lists the missed metrics after "%s"', (label, verdict) => {
  const missed = measured.filter((row) => row.at(-1) === verdict).map(([metric]) => metric);
  expect(page).toContain(`\n${label}: ${missed.join('; ') || 'none'}.\n`);
});
