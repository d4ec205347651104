// Plain YAML has the same value and the same positions as in the full reader. Everything else is left to that reader.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ValuePath } from '../../../../src/lib/kernel/reading.ts';
import { readPlainYaml, readYaml } from '../../../../src/lib/kernel/yaml.ts';
import { readFullYaml } from '../../../../src/lib/kernel/yaml-document.ts';
import { writeManifestText } from '../../../../src/lib/files/roles-file.ts';
import { role } from '../../../helpers/any-roles.ts';
import { runs } from '../../../helpers/size.ts';
import { anyStyledManifest } from '../files/styled-yaml.ts';

/** Returns whether a text is plain. If it is, both readers must agree. */
function isPlain(text: string): boolean {
  const plain = readPlainYaml(text);
  if (!plain) return false;
  const full = readFullYaml(text);
  expect(full.problems).toEqual([]);
  expect(plain.value).toStrictEqual(full.value);
  for (const path of pathsOf(plain.value)) {
    expect(plain.offsetOf(path)).toBe(full.offsetOf(path));
    if (typeof path.at(-1) === 'string') expect(plain.offsetOf(path, 'key')).toBe(full.offsetOf(path, 'key'));
    const below = [...path, 'missing', 1];
    expect(plain.offsetOf(below)).toBe(full.offsetOf(below));
  }
  return true;
}

function pathsOf(value: unknown, path: ValuePath = []): ValuePath[] {
  if (typeof value !== 'object' || value === null) return [path];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...entries.flatMap(([key, item]) => pathsOf(item, [...path, key]))];
}

const VALUES = [
  ['', 'x', 'x y', 'x  y', '12', '012', '-5', '-0', '~', '{}', '.5', '1.2.3', '1a', '12e5', '1:2', '1-', '1_0', '0x1f'],
  ['+1', '0', '00', '123456789012345', '1234567890123456', '12345678901234567890', 'Infinity', 'NaN', '.inf', 'yes'],
  [
    'true',
    'True',
    'TRUE',
    'tRUE',
    'false',
    'False',
    'FALSE',
    'null',
    'Null',
    'NULL',
    'nULL',
    'trueish',
    'true:x',
    'no',
  ],
  ['"q"', '"\\u0041"', '"\\u41"', '"\\n"', '"a" b', 'b "a"', 'b"', '"a', '"a"b"', '""', '"a\\"b"', '"a # b"', '"a\\"'],
  ["'s'", "'it''s'", "it's", "'a' b", "b 'a'", "b'", "'a", "'a'b'", "''", "'a # b'", '"a\' # b"', `'a" # b'`, "'a''"],
  ['[a, b]', '[]', '[ ]', '[] x', '[]x', '[a', 'a]', 'b[a]', 'a, b', 'a {b}', 'a*', '*a', 'a&b', '&a x', '!a', 'a!'],
  [
    '2026-01-02 10:00:00',
    '2026-01-02T10:00:00.5Z',
    '2026-01-02',
    'a@b.c',
    'x:*',
    'x::y',
    'x:y:',
    'a/b.c-d:*',
    'é',
    'aé',
  ],
  ['-a', '- a', '-', '--', 'a -', 'a - b', 'a- b', 'a # b', 'a#b', '#', 'a: b', 'a:', 'a:  # b', '? a', '?a', '?'],
  [
    '!!str 1',
    '|',
    '>-',
    '%',
    '@',
    '`',
    ',',
    '$a',
    '_a',
    '(a)',
    '/a',
    '---',
    '...',
    '\u00a0',
    '\u2028',
    'a\u00adb',
    '🙂',
  ],
].flat();

const PLACES = [
  'VALUE',
  'a: VALUE',
  'a:   VALUE   ',
  'a: VALUE # c',
  'a: VALUE #',
  '- VALUE',
  '-   VALUE',
  '- a: VALUE',
  '- a:\n    VALUE',
  'a:\n  VALUE',
  'a:\n- VALUE\nb: x',
  '-\n  VALUE\n- x',
  'a: VALUE\n  b: x',
  'a: VALUE\n  - x',
  'a: VALUE\n\n  x',
  'a: x\nb:\n  c: VALUE\nd: x',
  'a: VALUE\nVALUE: b',
];

const anyLine = fc
  .tuple(
    fc.constantFrom('', '', '  ', '    ', '      ', ' '),
    fc.constantFrom('', '', '- ', '-   ', '-'),
    fc.constantFrom('a:', 'b:', 'c:', 'k-1:', 'null:', '"k":', '__proto__:', ''),
    fc.constantFrom('', ' ', ' ', '   '),
    fc.oneof(fc.constantFrom('', 'x', 'y z'), fc.constantFrom(...VALUES)),
    fc.constantFrom('', '', '', ' ', '\t', ' # c', ' #', '#c', " # it's", ' # "x"'),
  )
  .map((parts) => parts.join(''));

const anyLines = fc
  .array(fc.oneof(anyLine, fc.constantFrom('', '  ', '# c', '    # c', '---')), { minLength: 1, maxLength: 7 })
  .map((lines) => lines.join('\n'));

/** As many lines as levels, each deeper than the one before. */
function nested(line: string, indent: number, levels: number): string {
  return Array.from({ length: levels }, (_, level) => `${' '.repeat(level * indent)}${line}\n`).join('');
}

const MANIFEST = `# Roles of the organization
last_modified_on: 2026-05-04T03:02:01Z
roles:
- role_id: editors # of audiences
  name: Editors, all
  description: "Edit: audiences"
  tasks:
  - audiences:*
  - user:core

# The second role
- role_id: viewers
  name: 'Viewers'
  tasks: []
`;

describe('readPlainYaml', () => {
  it('agrees with the full reader about lines of every kind', () => {
    fc.assert(
      fc.property(anyLines, (text) => void isPlain(text)),
      runs(20_000),
    );
  });

  it('agrees with the full reader about every value in every place', () => {
    for (const place of PLACES) for (const value of VALUES) isPlain(place.replaceAll('VALUE', () => value));
  });

  it('agrees with the full reader about manifests in many styles', () => {
    fc.assert(
      fc.property(anyStyledManifest, ({ text }) => void isPlain(text)),
      runs(1000),
    );
  });

  it('agrees with the full reader if characters are missing or added', () => {
    const anyChange = fc.tuple(
      fc.nat(MANIFEST.length),
      fc.nat(3),
      fc.constantFrom(...Array.from(' \n-:#"\'[]{}&*!|>%@,x0\t\\')),
    );
    fc.assert(
      fc.property(fc.array(anyChange, { minLength: 1, maxLength: 3 }), (changes) => {
        let text = MANIFEST;
        for (const [at, dropped, added] of changes) text = text.slice(0, at) + added + text.slice(at + dropped);
        isPlain(text);
      }),
      runs(10_000),
    );
  });

  it('reads what `roles pull` writes', async () => {
    const roles = [role('a', ['user:core', 'audiences:*']), role('b', [{ task_id: 'x:y', level: 1 }])];
    const stamp = { last_modified_on: '2026-11-20 08:00:00', last_modified_by: 'ada@example.com' };
    expect(isPlain(await writeManifestText({ ...stamp, roles }, 'yaml', 'A headline.'))).toBe(true);
  });

  it.each([
    MANIFEST,
    'a: 1',
    '- x\n- y z\n',
    '\na: 1\n',
    'a:\nb: 1\n',
    'a:\n- x\nb: 1\n',
    '- a:\n- b\n',
    '- a:\n  - x\n  b: 1\n',
    'a:\n  b:\nc: 1\n',
    'a:\n\n  # c\n  b: 1\n',
    'profile: staging\naccess: read\nlimits:\n  seeding: 50/s\n',
    `a: ${'x'.repeat(100_000)}\n`,
    `${'k'.repeat(1000)}: 1\n`,
    nested('a:', 1, 50),
    nested('- a:', 4, 25),
  ])('reads %j', (text) => {
    expect(isPlain(text)).toBe(true);
  });

  it.each([
    'a: |\n  text\n',
    'a: x\n  y',
    'a: 1\na: 2',
    '__proto__: 1',
    'a: 1.5',
    '"a": 1',
    '{a: 1}',
    '\ta: 1',
    '---\na: 1',
    '',
    '# c',
    'a: 1\n- b',
    '- b\na: 1',
    ' a: 1\nb: 2',
    'x:\n  a:\n- b',
    'a:\n    b: 1\n  c: 2',
    '- x\n  y',
    '- x\n  b: 1',
    'a: 1\r\n',
    '\ufeffa: 1',
    'a:\n# c\n  x\nb: y\n',
    'a:\n  x\n',
    `a: 1\n${'k'.repeat(1025)}: 1\n`,
    `- ${'k'.repeat(1025)}: 1\n`,
    nested('a:', 1, 101),
    nested('- a:', 4, 51),
  ])('leaves %j to the full reader', (text) => {
    expect(readPlainYaml(text)).toBeUndefined();
  });
});

it('reads any other YAML with the full reader', async () => {
  expect(await readYaml('a: &x [1, 2]\nb: *x\n')).toMatchObject({ value: { a: [1, 2], b: [1, 2] }, problems: [] });
});

it.each([
  [`a: 'x'''`, `x'`],
  [`a: ''`, ``],
  [`a: "''"`, `''`],
  [String.raw`a: "x\\"`, 'x\\'],
  [String.raw`a: "\""`, '"'],
])('reads the quoted text at the end of %j', (text, a) => {
  expect(readFullYaml(text)).toMatchObject({ value: { a }, problems: [] });
});

it.each([
  [String.raw`a: "x\"` + '\nb: "y"\n', 7],
  [`a: 'x''\nb: 'y'\n`, 7],
  [String.raw`- "x\"` + '\n- "y"\n', 6],
])('rejects the unclosed quote before a line that is indented less in %j', (text, offset) => {
  expect(readFullYaml(text).problems).toEqual([
    { offset, message: expect.stringMatching(/^the closing .* is missing$/) },
  ]);
});
