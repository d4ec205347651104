// Edits to a text keep all other bytes, and leave a sensible number of blank lines.
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
])('in the text %j, ends new lines with %j', (text, end) => {
  expect(new TextEdits(text).lineEnd).toBe(end);
});

describe('whole lines', () => {
  it.each([
    ['before the first line', 'a\nb\n', 0, 'x\ny\na\nb\n'],
    ['between two lines', 'a\nb\n', 2, 'a\nx\ny\nb\n'],
    ['after the last line', 'a\nb\n', 4, 'a\nb\nx\ny\n'],
    ['after a last line without a line break', 'a\nb', 3, 'a\nb\nx\ny'],
    ['into an empty text', '', 0, 'x\ny\n'],
    ["with the text's line breaks", 'a\r\nb\r\n', 3, 'a\r\nx\r\ny\r\nb\r\n'],
    ["with the text's line breaks after a last line without one", 'a\r\nb', 4, 'a\r\nb\r\nx\r\ny'],
  ])('are inserted %s', (_where, text, offset, result) => {
    expect(edited(text, (edits) => edits.insertLines(offset, ['x', 'y']))).toBe(result);
  });

  it.each([
    ['from the middle', 'a\nX\nb\n', 'a\nb\n'],
    ['if they are the only lines', 'X\n', ''],
    ['from the start', 'X\na\n', 'a\n'],
    ['from the end', 'a\nX\n', 'a\n'],
    ['together with one of the two gaps around them', 'a\n\nX\n\nb\n', 'a\n\nb\n'],
    ['without the gap before them', 'a\n\nX\nb\n', 'a\n\nb\n'],
    ['without the gap after them', 'a\nX\n\nb\n', 'a\n\nb\n'],
    ['from the start, together with the gap after them', 'X\n\na\n', 'a\n'],
    ['from the end, together with the gap before them', 'a\n\nX\n', 'a\n'],
    ['from the end, together with both gaps around them', 'a\n\nX\n\n', 'a\n'],
    ['without the gap at the end of the text', 'a\nX\n\n', 'a\n\n'],
    ['from the end, together with a wide gap before them', 'a\n\n\nX\n', 'a\n'],
    ['after a gap at the start, together with the second gap', '\nX\n\na\n', '\na\n'],
    ['if they are the only lines, together with the gap before them', '\n\nX\n', ''],
    ['after a wide gap at the start, together with the second gap', '\n\nX\n\na\n', '\n\na\n'],
    [
      'together with one of two wide gaps of spaces and tabs',
      'a\r\n \t\r\n\r\nX\r\n\t\r\n\r\nb\r\n',
      'a\r\n \t\r\n\r\nb\r\n',
    ],
    ['without the indented lines around them', '  a\nX\n  b\n', '  a\n  b\n'],
    ['without gaps that are not next to them', 'a\n\nb\nX\nc\n\nd\n', 'a\n\nb\nc\n\nd\n'],
  ])('are removed %s', (_which, text, result) => {
    const from = text.indexOf('X');
    const to = text.indexOf('\n', from) + 1;
    expect(edited(text, (edits) => edits.dropLines(from, to))).toBe(result);
  });
});

describe('edits', () => {
  it('are applied in text order, or in call order if they have the same offset', () => {
    const result = edited('abcdef', (edits) => {
      edits.replace(4, 5, 'E');
      edits.replace(1, 1, '1');
      edits.replace(1, 2, '2');
      edits.replace(6, 6, '!');
    });
    expect(result).toBe('a12cdEf!');
  });

  it('replace their combined range if they overlap', () => {
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
])("for the offset %i, returns the line start %i and the next line's start %i", (offset, start, next) => {
  const edits = new TextEdits('ab\nc\nd');
  expect(edits.lineStart(offset)).toBe(start);
  expect(edits.lineAfter(offset)).toBe(next);
});
