// The quick reader of plain YAML: wherever it reads, value and places are those of the full reader.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPlainYaml } from '../../../../src/lib/files/plain-yaml.ts';
import type { ValuePath } from '../../../../src/lib/files/reading.ts';
import { writeManifestText } from '../../../../src/lib/files/roles-file.ts';
import { readYaml } from '../../../../src/lib/files/yaml-document.ts';
import { role } from '../../../helpers/any-roles.ts';
import { anyStyledManifest } from './styled-yaml.ts';
import { size } from '../../../helpers/size.ts';

/** Whether it is plain; then it must be read alike. */
function readsAlike(text: string): boolean {
  const plain = readPlainYaml(text);
  if (!plain) return false;
  const full = readYaml(text);
  expect(full.problems).toEqual([]);
  expect(plain.value).toStrictEqual(full.value);
  for (const path of pathsOf(plain.value)) {
    expect(plain.offsetOf(path)).toBe(full.offsetOf(path));
    if (typeof path.at(-1) === 'string') expect(plain.offsetOf(path, 'key')).toBe(full.offsetOf(path, 'key'));
  }
  return true;
}

/** The way to every value but null, which may stand nowhere. */
function pathsOf(value: unknown, path: ValuePath = []): ValuePath[] {
  if (value === null) return [];
  if (typeof value !== 'object') return [path];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...entries.flatMap(([key, item]) => pathsOf(item, [...path, key]))];
}

const VALUES = [
  ['', 'x', 'x y', '12', '012', '-5', '-0', '~', '{}', '.5', '1.2.3', '1a', '12e5', '1:2', '1-', '1_0', '0x1f', '+1'],
  ['true', 'True', 'TRUE', 'tRUE', 'false', 'False', 'FALSE', 'null', 'Null', 'NULL', 'nULL', 'trueish', 'true:x'],
  [
    '"q"',
    '"\\u0041"',
    '"\\u41"',
    '"\\x41"',
    '"\\n"',
    '"a" b',
    'b "a"',
    'b"',
    '"a',
    '"a"b"',
    '""',
    '"a\\"b"',
    '"a # b"',
  ],
  [
    "'s'",
    "'it''s'",
    "it's",
    "'a' b",
    "b 'a'",
    "b'",
    "'a",
    "'a'b'",
    "''",
    "'a # b'",
    '"a\' # b"',
    `'a" # b'`,
    `"a" 'b # c'`,
  ],
  [
    '[a, b]',
    '[a, 12 ]',
    '[]',
    '[ ]',
    '[a,]',
    '[[a]]',
    '[a]b',
    'b[a]',
    '[a',
    'a]',
    '["a"]',
    '[a # b]',
    '[{a}]',
    '[a: b]',
  ],
  [
    '2026-01-02 10:00:00',
    'a@b.c',
    'x:*',
    'x::y',
    'x:y:',
    'a/b.c-d:*',
    '(a)',
    '$a',
    '_a',
    'é',
    'a---b',
    'a...',
    '5 %',
    '/a',
  ],
  ['-a', '- a', '-', '--', 'a -', 'a - b', 'a- b', 'a # b', 'a#b', '#', 'a: b', 'a:', 'a:  # b', '? a', '?a', '?'],
  [
    '&a x',
    '*a',
    '|',
    '>-',
    '!!str 1',
    '%',
    '@',
    '`',
    ',',
    '\u00a0',
    '\u2028',
    '12345678901234567890',
    '123456789012345',
  ],
].flat();

/** As many lines as levels, each deeper than the one before. */
function nested(line: string, indent: number, levels: number): string {
  return Array.from({ length: levels }, (_, level) => `${' '.repeat(level * indent)}${line}\n`).join('');
}

const anyLine = fc
  .tuple(
    fc.constantFrom('', '  ', '    ', '      ', ' '),
    fc.constantFrom('', '', '- ', '-   ', '-'),
    fc.constantFrom('a:', 'b:', 'c:', 'k-1:', '"k":', '__proto__:', ''),
    fc.constantFrom('', ' ', ' ', '   '),
    fc.constantFrom(...VALUES),
    fc.constantFrom('', '', '', ' ', '\t', ' # c', ' #', '#c', " # it's", ' # "x"'),
  )
  .map((parts) => parts.join(''));

const anyLines = fc
  .tuple(
    fc.array(fc.oneof(anyLine, fc.constantFrom('', '  ', '# c', '    # c', '---')), { minLength: 1, maxLength: 6 }),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([lines, end]) => lines.join(end));

describe('readPlainYaml', () => {
  it('agrees with the full reader on lines of every kind', () => {
    fc.assert(
      fc.property(anyLines, (text) => void readsAlike(text)),
      { numRuns: size(20_000) },
    );
  });

  it('agrees with the full reader on every value in every place, and reads those of the golden file', async () => {
    const places = [
      'VALUE',
      'a: VALUE',
      'a: VALUE # c',
      'a: VALUE #',
      '- VALUE',
      '- a: VALUE',
      'a: [VALUE]',
      'a: [x, VALUE ]',
      'a:\n  VALUE',
      'a:\n- VALUE\nb: x',
      '-\n  VALUE\n- x',
      'a: VALUE\n  b: x',
      'a: x\nb:\n  c: VALUE\nd: x',
    ];
    const sections = places.map((place) => {
      const read = VALUES.filter((value) => readsAlike(place.replace('VALUE', () => value)));
      return `${JSON.stringify(place)}\n${read.map((value) => `  ${JSON.stringify(value)}\n`).join('')}`;
    });
    await expect(sections.join('')).toMatchFileSnapshot('../../../golden/plain-yaml.txt');
  });

  it('agrees with the full reader on manifests as people write them', () => {
    fc.assert(
      fc.property(anyStyledManifest, ({ text }) => void readsAlike(text)),
      { numRuns: size(300) },
    );
  });

  it.each([
    'a: 1',
    'roles:\n- role_id: a # c\n  tasks: [x:*, y]\n\n# c\n- role_id: "b"\n  tasks:\n  - x\n',
    'roles:\r\n  -\r\n    role_id: a\r\n',
    '# head\nlast_modified_on: 2026-05-04 03:02:01\nlast_modified_by: a.b+c@example.com\nroles: []\n',
    "a: 'it''s'\nb: \"\\u00e9\"\nc: true\nd: -12\ne:\n",
    '- x\n- y z\n',
    '\na: 1\n',
    'a:\nb: 1\n',
    'a:\n- x\nb: 1\n',
    '-\n- a\n',
    '- a:\n- b\n',
    '- a:\n  - x\n  b: 1\n',
    'a:\n  b:\nc: 1\n',
    'a:\n\n  # c\n  b: 1\n',
    `a: ${'x'.repeat(9997)}\n`,
    'a:\n' + '- a line of a long document\n'.repeat(1000),
  ])('reads %j', (text) => {
    expect(readsAlike(text)).toBe(true);
  });

  it.each([nested('a:', 1, 99), nested('-', 1, 99), nested('- a:', 4, 49)])(
    'reads what is nested less than a hundred levels deep: %#',
    (text) => {
      expect(readsAlike(text)).toBe(true);
    },
  );

  it('puts a value that is left out where its key or dash is', () => {
    const text = 'b: 1\na:\nc:\n  -\n';
    const [plain, full] = [readPlainYaml(text), readYaml(text)];
    expect(plain?.offsetOf(['a'])).toBe(5);
    expect(full.offsetOf(['a'])).toBe(5);
    expect(plain?.offsetOf(['c', 0])).toBe(13);
  });

  it('reads what `roles pull` writes', async () => {
    const roles = [role('a', ['user:core', 'audiences:*']), role('b', [{ task_id: 'x:y', level: 1 }])];
    const stamp = { last_modified_on: '2026-11-20 08:00:00', last_modified_by: 'ada@example.com' };
    expect(readsAlike(await writeManifestText({ ...stamp, roles }, 'yaml', 'A headline.'))).toBe(true);
  });

  it.each([
    'a: &x 1',
    'a: |\n  text\n',
    'a: x\n  y',
    'a: 1\na: 2',
    '__proto__: 1',
    'a: 1.5',
    '"a": 1',
    '{a: 1}',
    'just a text',
    '\ta: 1',
    '---\na: 1',
    '',
    'a: 1\n- b',
    '- b\na: 1',
    ' a: 1\nb: 2',
    'x:\n  a:\n- b',
    'a:\n    b: 1\n  c: 2',
    '- x\n  y',
    '- x\n  b: 1',
    `a: ${'x'.repeat(9998)}`,
    nested('a:', 1, 101),
    nested('-', 1, 101),
    nested('- a:', 4, 51),
  ])('leaves %j to the full reader', (text) => {
    expect(readPlainYaml(text)).toBeUndefined();
  });
});
