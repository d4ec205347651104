// Columns that a text takes, and cutting it to them.
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { displayWidth, fitText, padText } from '../../../src/lib/render/width.ts';

it.each([
  ['', 0],
  ['abc', 3],
  ['ünï', 3],
  ['e\u0301', 1],
  ['日本', 4],
  ['👍', 2],
])('%j takes %i', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

it.each([
  ['audiences', 20, 'audiences'],
  ['audiences', 9, 'audiences'],
  ['audiences', 8, 'audienc…'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
])('%j in %i is %j', (text, width, expected) => {
  expect(fitText(text, width)).toBe(expected);
});

test('never wider than asked, and padded to exactly that', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 30 }), (text, width) => {
      const fitted = fitText(text, width);
      expect(displayWidth(fitted)).toBeLessThanOrEqual(width);
      expect(displayWidth(padText(fitted, width))).toBe(width);
    }),
  );
});
