// Edits to text keep every other byte and a sensible number of blank lines.
import { describe, expect, it } from 'vitest';
import { TextEdits } from '../../../../src/lib/files/text-edits.ts';

const edited = (text: string, change: (edits: TextEdits) => void): string => {
  const edits = new TextEdits(text);
  change(edits);
  return edits.apply();
};

it.each([
  ['a\nb\n', '\n'],
  ['a\r\nb\r\n', '\r\n'],
  ['a', '\n'],
  ['a\nb\r\n', '\n'],
  ['', '\n'],
])('detects in %j the line break %j', (text, end) => {
  expect(new TextEdits(text).lineEnd).toBe(end);
});

describe('whole lines', () => {
  it.each([
    ['before the first', 'a\nb\n', 0, 'x\ny\na\nb\n'],
    ['between', 'a\nb\n', 2, 'a\nx\ny\nb\n'],
    ['after the last', 'a\nb\n', 4, 'a\nb\nx\ny\n'],
    ['after the last, which has no line end', 'a\nb', 3, 'a\nb\nx\ny'],
    ['into an empty text', '', 0, 'x\ny\n'],
    ['with the line ends of the text', 'a\r\nb\r\n', 3, 'a\r\nx\r\ny\r\nb\r\n'],
    ['with the line ends of the text after an unterminated line', 'a\r\nb', 4, 'a\r\nb\r\nx\r\ny'],
  ])('are inserted: %s', (_where, text, offset, result) => {
    expect(edited(text, (edits) => edits.insertLines(offset, ['x', 'y']))).toBe(result);
  });

  it.each([
    ['in the middle', 'a\nX\nb\n', 'a\nb\n'],
    ['the only one', 'X\n', ''],
    ['the first', 'X\na\n', 'a\n'],
    ['the last', 'a\nX\n', 'a\n'],
    ['between two gaps: one remains', 'a\n\nX\n\nb\n', 'a\n\nb\n'],
    ['after a gap: it remains', 'a\n\nX\nb\n', 'a\n\nb\n'],
    ['before a gap: it remains', 'a\nX\n\nb\n', 'a\n\nb\n'],
    ['the first, before a gap: none remains', 'X\n\na\n', 'a\n'],
    ['the last, after a gap: none remains', 'a\n\nX\n', 'a\n'],
    ['the last, between two gaps: none remains', 'a\n\nX\n\n', 'a\n'],
    ['the last, before a gap at the end: it remains', 'a\nX\n\n', 'a\n\n'],
    ['the last, after a wide gap: none remains', 'a\n\n\nX\n', 'a\n'],
    ['between a gap at the start and another: one remains', '\nX\n\na\n', '\na\n'],
    ['the only one, after a gap', '\n\nX\n', ''],
    ['after a wide gap at the start', '\n\nX\n\na\n', '\n\na\n'],
    ['between wide gaps of spaces and tabs', 'a\r\n \t\r\n\r\nX\r\n\t\r\n\r\nb\r\n', 'a\r\n \t\r\n\r\nb\r\n'],
    ['between lines that only start with blanks', '  a\nX\n  b\n', '  a\n  b\n'],
    ['between lines with gaps further away', 'a\n\nb\nX\nc\n\nd\n', 'a\n\nb\nc\n\nd\n'],
  ])('are removed: %s', (_which, text, result) => {
    const from = text.indexOf('X');
    const to = text.indexOf('\n', from) + 1;
    expect(edited(text, (edits) => edits.dropLines(from, to))).toBe(result);
  });
});

describe('edits', () => {
  it('are applied in text order, and at the same offset in call order', () => {
    const result = edited('abcdef', (edits) => {
      edits.replace(4, 5, 'E');
      edits.replace(1, 1, '1');
      edits.replace(1, 2, '2');
      edits.replace(6, 6, '!');
    });
    expect(result).toBe('a12cdEf!');
  });

  it('remove the union of overlapping ranges', () => {
    const result = edited('abcdef', (edits) => {
      edits.replace(1, 5, '<');
      edits.replace(2, 3, '-');
      edits.replace(4, 5, '>');
    });
    expect(result).toBe('a<->f');
  });
});

it.each([
  [0, 0, 0],
  [1, 0, 3],
  [2, 0, 3],
  [3, 3, 3],
  [4, 3, 5],
  [5, 5, 5],
  [6, 5, 6],
])('finds for offset %i the line start %i and the next line %i', (offset, start, next) => {
  const edits = new TextEdits('ab\nc\nd');
  expect(edits.lineStart(offset)).toBe(start);
  expect(edits.lineAfter(offset)).toBe(next);
});
