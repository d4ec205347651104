// External text cannot control a terminal, and escaped JSON keeps its value.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { cleanForAssistant, cleanLine, cleanText, escapeJson } from '../../../../src/lib/render/clean.ts';

const HARMFUL = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]/u;
const anyText = fc.string({ unit: 'binary' });
const hostile = fc
  .array(
    fc.constantFrom('\u001b[31m', '\u0007', '\r', '\n', '\t', '\u202e', '\u0085', '\u009b', '\u2028', 'a', 'ß', '中'),
  )
  .map((parts) => parts.join(''));

describe('cleanLine', () => {
  it.each([
    ['a name', 'a name'],
    ['two\nlines\r\nand\ttabs', 'two lines and tabs'],
    ['\u001b[2Jgone', '\ufffd[2Jgone'],
    ['admin\u202egnp.exe', 'admin\ufffdgnp.exe'],
    ['\u009b31m', '\ufffd31m'],
    ['日本語 ünïcödé 👍', '日本語 ünïcödé 👍'],
  ])('cleans %j', (text, expected) => {
    expect(cleanLine(text)).toBe(expected);
  });

  test('removes control and bidi characters', () => {
    fc.assert(fc.property(fc.oneof(anyText, hostile), (text) => !HARMFUL.test(cleanLine(text))));
  });
});

test('cleanText keeps line breaks and tabs, and removes other control characters', () => {
  expect(cleanText('a\r\nb\tc\u001b]0;x\u0007')).toBe('a\nb\tc\ufffd]0;x\ufffd');
  fc.assert(fc.property(fc.oneof(anyText, hostile), (text) => !HARMFUL.test(cleanText(text).replace(/[\n\t]/g, ''))));
});

test('replaces every invisible character for an assistant, even inside an emoji', () => {
  const invisible = [
    '\u00ad',
    '\u115f',
    '\u200b',
    '\u200d',
    '\u2060',
    '\u3164',
    '\ufe0f',
    '\uffa0',
    '\u{e0041}',
    '\u{e0100}',
    '\u{e01ef}',
  ];
  for (const character of invisible) expect(cleanForAssistant(`a${character}b`)).toBe('a\ufffdb');
  expect(cleanForAssistant('日本語 ünïcödé 👍\n\t')).toBe('日本語 ünïcödé 👍\n\t');
  const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
  fc.assert(fc.property(anyText, (text) => !unseen.test(cleanForAssistant(text))));
});

test('escapeJson keeps every value, and escapes control and bidi characters', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, hostile), (text) => {
      const json = escapeJson(JSON.stringify({ text }, undefined, 2));
      expect(JSON.parse(json)).toEqual({ text });
      expect(HARMFUL.test(json.replaceAll('\n', ''))).toBe(false);
    }),
  );
});
