// Writes YAML that every parser reads in the same way, in block style or on one line.
import { describe, expect, it } from 'vitest';
import * as yaml from 'yaml';
import { readFullYaml } from '../../../../src/lib/kernel/yaml-document.ts';
import { inlineText, toYaml } from '../../../../src/lib/files/yaml-text.ts';

describe('YAML in block style', () => {
  it.each([
    ['a string that looks like a mapping', 'a: b', '"a: b"'],
    ['a word that YAML 1.1 reads as a boolean', 'no', '"no"'],
    ['digits with underscores, which YAML 1.1 reads as a number', '1_000', '"1_000"'],
    ['a control character', 'a\u0007b', '"a\\u0007b"'],
    ['a control character that YAML 1.2 does not allow', '\u009b', '"\\u009b"'],
    ['bidirectional controls', '\u202eabc\u2069', '"\\u202eabc\\u2069"'],
    ['two control characters', '\u0001\ufffe', '"\\u0001\\ufffe"'],
    ['a control character in a multi-line string', 'a\n\u0007b\n', '"a\\n\\u0007b\\n"'],
    ['a multi-line string', 'a\n\nb\n', '|\n  a\n\n  b'],
    ['a large number', 2n ** 63n, '9223372036854775808'],
    ['a long string', 'x '.repeat(200).trim(), 'x '.repeat(200).trim()],
    ['null', null, 'null'],
    ['an empty list', [], '[]'],
  ])('is read back exactly: %s', (_what, value, expected) => {
    const text = toYaml({ key: value });
    expect(text).toBe(`key: ${expected}\n`);
    expect(readFullYaml(text)).toMatchObject({ value: { key: value }, problems: [] });
  });

  it('is read back exactly if a key contains a control character', () => {
    const text = toYaml({ 'a\u0007': 1 });
    expect(readFullYaml(text)).toMatchObject({ value: { 'a\u0007': 1 }, problems: [] });
  });

  it('indents the dashes of nested lists by default', () => {
    expect(toYaml({ a: ['x', { b: ['z'] }] })).toBe('a:\n  - x\n  - b:\n      - z\n');
    expect(toYaml({ a: ['x', { b: ['z'] }] }, { indentLists: false })).toBe('a:\n- x\n- b:\n  - z\n');
  });
});

describe('YAML on one line', () => {
  const like = (type: 'PLAIN' | 'QUOTE_SINGLE' | 'QUOTE_DOUBLE' | 'BLOCK_LITERAL'): yaml.Scalar => {
    const scalar = new yaml.Scalar('x');
    scalar.type = type;
    return scalar;
  };

  it.each<[unknown, yaml.Scalar | undefined, string]>([
    ['x', undefined, 'x'],
    ['x', like('PLAIN'), 'x'],
    ['x', like('BLOCK_LITERAL'), 'x'],
    ['x', like('QUOTE_SINGLE'), "'x'"],
    ["it's", like('QUOTE_SINGLE'), "'it''s'"],
    ['a\nb', like('QUOTE_SINGLE'), '"a\\nb"'],
    ['a\rb', like('QUOTE_SINGLE'), '"a\\rb"'],
    ['a\u0007', like('QUOTE_SINGLE'), '"a\\u0007"'],
    ['a\u202e', like('QUOTE_SINGLE'), '"a\\u202e"'],
    ['a\u202e', like('PLAIN'), '"a\\u202e"'],
    ['x', like('QUOTE_DOUBLE'), '"x"'],
    ['a, b', undefined, '"a, b"'],
    ['[a', undefined, '"[a"'],
    ['a]', undefined, '"a]"'],
    ['a{', undefined, '"a{"'],
    ['a}', undefined, '"a}"'],
    ['a: b', undefined, '"a: b"'],
    ['no', undefined, '"no"'],
    ['a\nb', undefined, '"a\\nb"'],
    ['', undefined, '""'],
    [null, undefined, 'null'],
    [5, like('QUOTE_SINGLE'), '5'],
    [2n ** 63n, undefined, '9223372036854775808'],
    [{ a: ['x', 'y: z'], b: {} }, undefined, '{a: [x, "y: z"], b: {}}'],
    [['a\u0007', 'b,c'], undefined, '["a\\u0007", "b,c"]'],
    [{ a: 'one\ntwo', b: 2n ** 63n }, undefined, '{a: "one\\ntwo", b: 9223372036854775808}'],
    [
      { a: `${'long '.repeat(20)}\n${'text '.repeat(20)}` },
      undefined,
      `{a: "${'long '.repeat(20)}\\n${'text '.repeat(20)}"}`,
    ],
  ])('is read back exactly: %o, written as $2', (value, scalar, expected) => {
    const text = inlineText(value, scalar);
    expect(text).toBe(expected);
    expect(readFullYaml(`[${text}]`)).toMatchObject({ value: [value], problems: [] });
  });
});
