// Cuts in a text: what is not meant stays byte for byte, and blank lines stay as many as a reader expects.
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
])('%j ends its lines with %j', (text, end) => {
  expect(new TextEdits(text).lineEnd).toBe(end);
});

describe('whole lines', () => {
  it.each([
    ['before the first', 'a\nb\n', 0, 'x\ny\na\nb\n'],
    ['between', 'a\nb\n', 2, 'a\nx\ny\nb\n'],
    ['behind the last', 'a\nb\n', 4, 'a\nb\nx\ny\n'],
    ['behind the last, which has no end', 'a\nb', 3, 'a\nb\nx\ny'],
    ['into nothing', '', 0, 'x\ny\n'],
    ['with the ends that the text has', 'a\r\nb\r\n', 3, 'a\r\nx\r\ny\r\nb\r\n'],
    ['with these ends behind an open line', 'a\r\nb', 4, 'a\r\nb\r\nx\r\ny'],
  ])('are put in: %s', (_where, text, offset, result) => {
    expect(edited(text, (edits) => edits.insertLines(offset, ['x', 'y']))).toBe(result);
  });

  it.each([
    ['in the middle', 'a\nX\nb\n', 'a\nb\n'],
    ['all there are', 'X\n', ''],
    ['the first', 'X\na\n', 'a\n'],
    ['the last', 'a\nX\n', 'a\n'],
    ['between two gaps: one stays', 'a\n\nX\n\nb\n', 'a\n\nb\n'],
    ['behind a gap: it stays', 'a\n\nX\nb\n', 'a\n\nb\n'],
    ['before a gap: it stays', 'a\nX\n\nb\n', 'a\n\nb\n'],
    ['the first, before a gap: none is left', 'X\n\na\n', 'a\n'],
    ['the last, behind a gap: none is left', 'a\n\nX\n', 'a\n'],
    ['the last, between two gaps: none is left', 'a\n\nX\n\n', 'a\n'],
    ['the last, before a gap that was the end: it stays', 'a\nX\n\n', 'a\n\n'],
    ['the last, behind a wide gap: none is left', 'a\n\n\nX\n', 'a\n'],
    ['behind a gap that is the beginning, before another: one stays', '\nX\n\na\n', '\na\n'],
    ['all there are, behind a gap', '\n\nX\n', ''],
    ['behind a gap at the beginning', '\n\nX\n\na\n', '\n\na\n'],
    ['between wide gaps of any blanks', 'a\r\n \t\r\n\r\nX\r\n\t\r\n\r\nb\r\n', 'a\r\n \t\r\n\r\nb\r\n'],
    ['beside lines that only begin blank', '  a\nX\n  b\n', '  a\n  b\n'],
    ['between a line and a gap far away', 'a\n\nb\nX\nc\n\nd\n', 'a\n\nb\nc\n\nd\n'],
  ])('are taken out: %s', (_which, text, result) => {
    const from = text.indexOf('X');
    const to = text.indexOf('\n', from) + 1;
    expect(edited(text, (edits) => edits.dropLines(from, to))).toBe(result);
  });
});

describe('edits', () => {
  it('are made in the order of the text, those of one place in the order they came', () => {
    const result = edited('abcdef', (edits) => {
      edits.replace(4, 5, 'E');
      edits.replace(1, 1, '1');
      edits.replace(1, 2, '2');
      edits.replace(6, 6, '!');
    });
    expect(result).toBe('a12cdEf!');
  });

  it('that overlap take out what any of them does', () => {
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
])('offset %i lies in the line that begins at %i, behind which is %i', (offset, start, behind) => {
  const edits = new TextEdits('ab\nc\nd');
  expect(edits.lineStart(offset)).toBe(start);
  expect(edits.lineAfter(offset)).toBe(behind);
});
