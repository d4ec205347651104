// Markdown with escaped content.
import { describe, expect, it, test } from 'vitest';
import {
  toCodeBlock,
  toDiffBlock,
  toIssueItem,
  toMarkdownLine,
  toMarkdownTable,
} from '../../../../src/lib/render/markdown.ts';
import type { Column } from '../../../../src/lib/render/view.ts';

const columns: Column<string>[] = [
  { key: 'role_id', value: (row) => row },
  { key: 'tasks', value: (row) => row.length, align: 'right' },
];

test('renders a table with escaped cells', () => {
  expect(toMarkdownTable(['a|b', 'x`y`', '<b>', 'two\nlines'], columns, true)).toBe(
    [
      '| ROLE ID | TASKS |',
      '| --- | ---: |',
      '| a\\|b | 3 |',
      '| x\\`y\\` | 4 |',
      '| \\<b\\> | 3 |',
      '| two lines | 9 |',
      '',
    ].join('\n'),
  );
});

test('renders a table with empty headings', () => {
  expect(toMarkdownTable(['a'], columns, false)).toBe('|   |   |\n| --- | ---: |\n| a | 1 |\n');
});

describe('toCodeBlock', () => {
  it.each([
    ['text', '```\ntext\n```\n'],
    ['text\n\n', '```\ntext\n```\n'],
    ['```\ninside\n```', '````\n```\ninside\n```\n````\n'],
  ])('fences %j', (text, expected) => {
    expect(toCodeBlock(text)).toBe(expected);
  });
});

describe('a Markdown line', () => {
  it.each([
    ['Run `cdpadm roles diff *`.', 'Run `cdpadm roles diff *`.'],
    ['a_b <img> #1', 'a\\_b \\<img\\> \\#1'],
    ['one ` alone', 'one \\` alone'],
    ['two\n# lines', 'two \\# lines'],
  ])('is escaped: %j', (text, expected) => {
    expect(toMarkdownLine(text)).toBe(expected);
  });

  test('contains an issue and its position', () => {
    const issue = { file: 'a_b.yaml', line: 3, column: 5, path: 'roles[0]', message: 'is `x`' };
    expect(toIssueItem(issue)).toBe('- a\\_b.yaml:3:5: roles\\[0\\]: is `x`');
    expect(toIssueItem({ path: '', message: 'wrong' })).toBe('- wrong');
  });
});

test("moves a plan's signs to the first column, so that a diff block colors them", () => {
  const body = '~ modify a\n    - x:view\n    + y:view  ! escalation\n    ~ z: a -> b\n    +   - SELECT\n\n1 to modify';
  expect(toDiffBlock('Plan', body)).toBe(
    [
      '### Plan',
      '',
      '```diff',
      '~ modify a',
      '-     x:view',
      '+     y:view  ! escalation',
      '!     z: a -> b',
      '+       - SELECT',
      '',
      '1 to modify',
      '```',
      '',
    ].join('\n'),
  );
});
