// Help pages wrapped to the terminal width.
import { describe, expect, test } from 'vitest';
import { topics } from '../../../../src/commands/help/topics.ts';
import { wrapPage } from '../../../../src/lib/render/page.ts';

describe('wrapPage', () => {
  test.each([
    ['  --color <when>  auto, always or never', 36, '  --color <when>  auto, always or\n                  never'],
    ['  a sentence of some words', 22, '  a sentence of some\n  words'],
    ['  $ cdpadm roles push --allow-delete', 16, '  $ cdpadm roles push --allow-delete'],
    ['see `cdpadm help files` for it', 20, 'see\n`cdpadm help files`\nfor it'],
    ['short\n\nlines', 20, 'short\n\nlines'],
    // In paragraphs and descriptions, line breaks from the source are replaced.
    ['one two three four five six\nseven eight', 20, 'one two three four\nfive six seven eight'],
    ['one two\nthree', 20, 'one two three'],
    ['  term   one two\n         three\n  next   four', 40, '  term   one two three\n  next   four'],
    ['  FIRST   what it is\n  SECOND\n  THIRD   third', 40, '  FIRST   what it is\n  SECOND\n  THIRD   third'],
    // The description of a long term is on the next line.
    ['  ONE, TWO, THREE   the usual ones', 30, '  ONE, TWO, THREE\n      the usual ones'],
    ['as this:\n  {"one","two","three"}\nand so on', 16, 'as this:\n  {"one","two",\n    "three"}\nand so on'],
    ['a '.repeat(80).trim(), 200, `${'a '.repeat(50).trim()}\n${'a '.repeat(30).trim()}`],
  ])('wraps %j to %i columns', (text, width, wrapped) => {
    expect(wrapPage(text, width)).toBe(wrapped);
  });

  test.each([60, 80, 100, 200])(
    'wraps every help topic to %i columns (at most 100) without leaving a single word on a line between long lines',
    (width) => {
      for (const [topic, text] of Object.entries(topics)) {
        const lines = wrapPage(text, width).split('\n');
        lines.forEach((line, index) => {
          const isExample = line.startsWith('  $ ');
          if (!isExample) expect(line.length, `${topic}: ${line}`).toBeLessThanOrEqual(Math.min(width, 100));
          // A line with a single word is allowed only at the end of a paragraph. Elsewhere, the word is left over from
          // a line break in the source.
          if (/^[a-z]+$/.test(line)) expect(lines[index + 1], `${topic}: ${line}`).toMatch(/^$|^ /);
        });
      }
    },
  );
});
