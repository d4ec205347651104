// Measures the display width of text, and truncates and wraps text to a given width.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  displayWidth,
  fitText,
  padText,
  wrapAligned,
  wrapMessage,
  wrapUnder,
} from '../../../../src/lib/render/width.ts';

it.each([
  ['', 0],
  ['abc', 3],
  ['ünï', 3],
  ['e\u0301', 1],
  ['日本', 4],
  ['👍', 2],
])('measures %j as %i columns', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

it.each([
  ['audiences', 20, 'audiences'],
  ['audiences', 9, 'audiences'],
  ['audiences', 8, 'audienc…'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
])('truncates %j to %i columns as %j', (text, width, expected) => {
  expect(fitText(text, width)).toBe(expected);
});

test('never exceeds the requested width, and pads to exactly that width', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 30 }), (text, width) => {
      const fitted = fitText(text, width);
      expect(displayWidth(fitted)).toBeLessThanOrEqual(width);
      expect(displayWidth(padText(fitted, width))).toBe(width);
    }),
  );
});

describe('wrapUnder', () => {
  it.each([
    [
      'waiting  ',
      'it can be cancelled for less than a day',
      30,
      'waiting  it can be cancelled\n         for less than a day',
    ],
    ['\u001b[2mnext:\u001b[22m ', 'short', 30, '\u001b[2mnext:\u001b[22m short'],
    ['lead  ', 'one two three four five six', 10, 'lead  one two three four\n      five six'],
  ])('starts with %j and wraps %j to %i columns', (lead, text, width, expected) => {
    expect(wrapUnder(lead, text, width)).toBe(expected);
  });
});

describe('wrapMessage', () => {
  it.each([
    ['short', 20, 'short'],
    ['one two three four', 9, 'one two\nthree\nfour'],
    ['  an indent is kept', 12, '  an indent\n  is kept'],
    ['first\nsecond is longer', 8, 'first\nsecond\nis\nlonger'],
    ['\u001b[33mWarning:\u001b[39m ab cd', 11, '\u001b[33mWarning:\u001b[39m ab\ncd'],
    ['Say `roles push roles.yaml` now', 12, 'Say\n`roles push roles.yaml`\nnow'],
    ['Make it so: cdpadm roles push a b', 14, 'Make it so:\ncdpadm roles push a b'],
    ['a-word-longer-than-the-line x', 10, 'a-word-longer-than-the-line\nx'],
  ])('wraps %j to %i columns', (text, width, expected) => {
    expect(wrapMessage(text, width)).toBe(expected);
  });

  test('keeps every word and never exceeds the requested width', () => {
    const word = fc.stringMatching(/^[a-zé日]{1,9}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 20, max: 60 }), (words, width) => {
        const lines = wrapMessage(words.join(' '), width).split('\n');
        expect(lines.join(' ').split(' ')).toEqual(words);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('wrapAligned', () => {
  const [green, plain] = ['\u001b[32m', '\u001b[39m'];

  it.each([
    ['ok     signature   it fits', 40, 'ok     signature   it fits'],
    [
      'ok     domain      one two three four five',
      40,
      'ok     domain      one two three four\n                   five',
    ],
    ['expected  done in 7 to 21 days after it', 32, 'expected  done in 7 to 21 days\n          after it'],
    ['a sentence that is too long', 24, 'a sentence that is too\nlong'],
    // A change's sign and its color count as part of the indent.
    [`${green}    + SELECT one, two, three${plain}`, 27, `${green}    + SELECT one, two,\n      three${plain}`],
    [
      `${green}ok${plain}     name  one two three four five`,
      34,
      `${green}ok${plain}     name  one two three four\n             five`,
    ],
  ])('wraps %j to %i columns', (text, width, expected) => {
    expect(wrapAligned(text, width)).toBe(expected);
  });
});
