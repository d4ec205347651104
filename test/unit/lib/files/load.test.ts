// Hostile, damaged and unusual text is read as a value or rejected with the position of each issue.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatOf,
  invalidDocument,
  loadDocument,
  parseDocumentText,
  placeIssues,
  withoutSchemaHint,
} from '../../../../src/lib/files/load.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { stringifyJson } from '../../../../src/lib/kernel/json.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { inputSource } from '../../../helpers/input-source.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { runs, size } from '../../../helpers/size.ts';

type Format = 'yaml' | 'json';

async function valueOf(text: string, format: Format = 'yaml'): Promise<unknown> {
  return (await parseDocumentText('file', text, format)).value;
}

/** Returns `line:column: path: message` for every problem. */
async function problemsOf(text: string, format: Format = 'yaml'): Promise<string[]> {
  const error = await failureOf(parseDocumentText('file', text, format));
  if (!(error instanceof KnownError)) throw error;
  expect(error).toMatchObject({ code: 'input.invalid', message: 'file cannot be read.' });
  expect(error.message + JSON.stringify(error.issues)).not.toMatch(/\bat \S+ \(|node:/);
  return error.issues.map(({ line, column, path, message }) => {
    return `${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`;
  });
}

const DEEP = size(20_000, 20_000, 2000);
const LONG = size(10_000_000, 1_000_000, 20_000);

describe('the YAML reader', () => {
  it.each<[string, unknown]>([
    ['a: no\nb: on\nc: y', { a: 'no', b: 'on', c: 'y' }],
    ['a: 2020-01-01\nb: 2020-01-01 10:00:00', { a: '2020-01-01', b: '2020-01-01 10:00:00' }],
    ['a: 012\nb: 0x1F\nc: 0o17\nd: +5\ne: 1_000', { a: 12, b: 31, c: 15, d: 5, e: '1_000' }],
    ['%YAML 1.1\n---\na: no\nb: 2020-01-01\n<<: {c: 1}', { a: 'no', b: '2020-01-01', '<<': { c: 1 } }],
    ['a: 9007199254740993\nb: -9223372036854775808', { a: 9007199254740993n, b: -9223372036854775808n }],
    ['a: 0xffffffffffffffff', { a: 0xffffffffffffffffn }],
    ['a: 18446744073709551615\nb: 1.5\nc: 1e3', { a: 18446744073709551615n, b: 1.5, c: 1000 }],
    ['1: a\n012: b\nnull: c\ntrue: d', { 1: 'a', '012': 'b', null: 'c', true: 'd' }],
    ['a: !!str 12\nb: !!int "7"', { a: '12', b: 7 }],
    ['a: &x [1, 2]\nb: *x', { a: [1, 2], b: [1, 2] }],
    ['', null],
    ['# only a comment\n', null],
    ['{"a": [1, {"b": "\\ud83d\\ude00"}]}', { a: [1, { b: '😀' }] }],
    ['a: "\\u001b\\u202e"\nb: \u202ex', { a: '\u001b\u202e', b: '\u202ex' }],
    ['constructor: 1\ntoString: 2', { constructor: 1, toString: 2 }],
    ['a: "x [[[ {{{"\n# [[[[\nb: \'[[\'', { a: 'x [[[ {{{', b: '[[' }],
  ])('reads %j', async (text, value) => {
    expect(await valueOf(text)).toStrictEqual(value);
  });

  it.each<[string, string[]]>([
    ['a:\n  x: 1\n  y: 2\n  x: 3', ['4:3: a.x: duplicate key `x`']],
    ['1: a\n"1": b', ['2:1: 1: duplicate key `1`']],
    ['r:\n- {a: 1, a: 2}\n- b: 1\n  b: 2', ['2:10: r[0].a: duplicate key `a`', '4:3: r[1].b: duplicate key `b`']],
    ['a: 1\n__proto__: {x: 1}', ['2:1: __proto__: this key is not allowed']],
    ['a:\n  "__proto__": 1', ['2:3: a.__proto__: this key is not allowed']],
    ['? {a: 1}\n: x', ['1:3: a key must be plain text']],
    [': x', ['1:1: a key must be plain text']],
    [
      'a: .nan\nb: [-.inf]',
      ['1:4: a: not a number that JSON can represent', '2:5: b[0]: not a number that JSON can represent'],
    ],
    ['a: 1e400', ['1:4: a: not a number that JSON can represent']],
    ['a: 12345678901234567.25', ['1:4: a: has too many digits to be sent exactly; write it in quotes']],
    [
      'a: [1.10, +.5, 0.10000000000000001, 1e3, 1e-400]',
      ['1:42: a[4]: has too many digits to be sent exactly; write it in quotes'],
    ],
    ['a: !!binary aGk=', ['1:4: a tag of this kind is not allowed']],
    ['a: !own x\nb: !!set {x}', ['1:4: a tag of this kind is not allowed', '2:4: a tag of this kind is not allowed']],
    ['a: &a [*a]', ['1:8: a[0]: the alias *a refers to the value that contains it']],
    ['a: *q', ['1:4: a: the alias *q has no anchor']],
    ['a: 1\n---\nb: 2', ['2:1: a second document begins here; a file may have only one']],
    ['a:\n\tb: 1', ['2:1: Tabs are not allowed as indentation']],
    ['a: "x\u001by"', ['1:6: unescaped control character U+001B']],
    ['a: x\n# \u009b', ['2:3: unescaped control character U+009B']],
    ['a: "abc', ['1:8: the closing " is missing']],
    ["a:\n  - 'abc\n", ["3:1: the closing ' is missing"]],
    ['a: "x\\"', ['1:8: the closing " is missing']],
    ["a: 'x''", ["1:8: the closing ' is missing"]],
    ['a:\n  - [1, 2\n', ['3:1: the closing ] is missing']],
    ['a: {b: 1', ['1:9: the closing } is missing']],
    ['a: @x', ['1:4: Plain value cannot start with reserved character @']],
    ['a: b: c', ['1:4: Nested mappings are not allowed in compact mappings']],
    ['\ufeffa: 1\na: 2', ['2:1: a: duplicate key `a`']],
    ['\ufeff"a": 1\r\nb: 2\r\nb: 3', ['3:1: b: duplicate key `b`']],
  ])('rejects %j', async (text, problems) => {
    expect((await problemsOf(text)).slice(0, problems.length)).toEqual(problems);
  });

  it.each([
    ['0o777777777777777777777', 2n ** 63n - 1n],
    ['0x7fffffffffffffff', 2n ** 63n - 1n],
    ['0x7FFFFFFFFFFFFFFF', 2n ** 63n - 1n],
    ['+9223372036854775807', 2n ** 63n - 1n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['0o17', 15],
    ['9'.repeat(1000), BigInt('9'.repeat(1000))],
  ])('keeps every digit of %s', async (digits, value) => {
    expect(await valueOf(`a: ${digits}`)).toEqual({ a: value });
  });

  it('rejects aliases that repeat more than 100,000 values in total, not counting other values', async () => {
    const list = (length: number): string => `[${Array.from({ length }, () => 'x').join(', ')}]`;
    const uses = (length: number, times: number): string =>
      `a: &a ${list(length)}\nb: [${Array.from({ length: times }, () => '*a').join(', ')}]\nc: ${list(1000)}`;
    // A list counts as one value in addition to its items.
    expect(await valueOf(uses(999, 100))).toHaveProperty('b.99.998', 'x');
    expect(await problemsOf(uses(999, 101))).toEqual([
      expect.stringMatching(/^2:405: b\[100\]: aliases repeat more than 100000 values$/),
    ]);
    // A value that contains an alias counts everything that the alias refers to.
    const twice = `a: &a ${list(99)}\nb: &b [*a, *a]\nc: [${Array.from({ length: 498 }, () => '*b').join(', ')}]`;
    expect(await problemsOf(twice)).toEqual([expect.stringMatching(/^3:\d+: c\[\d+\]: aliases repeat/)]);
  });

  it('ignores brackets in strings and comments when counting the nesting depth', async () => {
    expect(await valueOf(`a: "${'['.repeat(200)}" # ${'{'.repeat(200)}`)).toEqual({ a: '['.repeat(200) });
  });

  it('reports at most twenty problems', async () => {
    expect(await problemsOf(Array.from({ length: 50 }, () => 'a: 1').join('\n'))).toHaveLength(20);
  });

  it.each([
    ['brackets', '['.repeat(DEEP), '1:101'],
    ['closed brackets', '['.repeat(DEEP) + ']'.repeat(DEEP), '1:101'],
    ['braces', '{a: '.repeat(DEEP), '1:401'],
    ['dashes', `${'- '.repeat(DEEP)}x`, '1:201'],
    ['explicit keys', `${'? '.repeat(DEEP)}x`, '1:201'],
    ['indentation', Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), '101:101'],
    ['very many brackets', '[ '.repeat(LONG / 2), '1:201'],
  ])('rejects deep nesting with %s', async (_by, text, place) => {
    expect(await problemsOf(text)).toEqual([`${place}: nested deeper than 100 levels`]);
  });

  it('reads a document with a hundred levels of nesting', async () => {
    expect(JSON.stringify(await valueOf(`${'['.repeat(100)}1${']'.repeat(100)}`))).toHaveLength(201);
    expect(JSON.stringify(await valueOf(`${'- '.repeat(99)}[1]`))).toHaveLength(201);
  });

  it.each([
    ['in quotes', `a: "${'x'.repeat(LONG)}"`],
    ['without quotes', `a: ${'x'.repeat(LONG)}`],
    ['as a block', `a: |-\n  ${'x'.repeat(LONG)}`],
    ['that consists of brackets', `a: "${'['.repeat(LONG)}"`],
    ['that consists mostly of spaces', `a: x${' '.repeat(LONG - 2)}y`],
  ])('reads a very long string %s', async (_how, text) => {
    expect(((await valueOf(text)) as { a: string }).a).toHaveLength(LONG);
  });

  it('rejects a very long document if it is truncated or contains a huge number', async () => {
    expect(await problemsOf(`a: "${'x'.repeat(LONG)}`)).toEqual([`1:${LONG + 5}: the closing " is missing`]);
    expect(await problemsOf(`a: ${'9'.repeat(LONG)}`)).toEqual(['1:4: a: a number has more than 1000 digits']);
  });

  it('uses the same object for all aliases of a value, and rejects an alias bomb', async () => {
    const roles = Array.from({ length: 300 }, (_, index) => `- id: r${index}\n  tasks: *t`).join('\n');
    const value = (await valueOf(`common: &t [a, b, c]\nroles:\n${roles}`)) as { roles: { tasks: string[] }[] };
    expect(value.roles).toHaveLength(300);
    expect(value.roles[299]?.tasks).toBe(value.roles[0]?.tasks);

    const levels = Array.from(
      { length: 60 },
      (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level}, `.repeat(10)}]`,
    );
    expect(await problemsOf(`l0: &l0 [x, x]\n${levels.join('\n')}`)).toEqual([
      expect.stringMatching(/^6:\d+: l5\[\d\]: aliases repeat more than 100000 values$/),
    ]);
  });

  it('leaves the stack trace limit unchanged after reporting many errors', async () => {
    const { stackTraceLimit } = Error;
    for (const mark of ['"', '&a ', '*a ', '!a ']) {
      expect(await problemsOf(mark.repeat(2000), 'yaml')).not.toEqual([]);
    }
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
  });

  it('does not pollute prototypes', async () => {
    const value = (await valueOf('a: {constructor: {prototype: {x: 1}}}')) as object;
    expect(({} as { x?: number }).x).toBeUndefined();
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe('the JSON reader', () => {
  it.each<[string, unknown]>([
    ['[1,[2,{"a":[]}],{}]', [1, [2, { a: [] }], {}]],
    ['{"a":9007199254740993,"b":-9223372036854775808}', { a: 9007199254740993n, b: -9223372036854775808n }],
    ['\ufeff{"a": 1}', { a: 1 }],
    ['{\n\t"a": "\\/\\u0041"\r\n}', { a: '/A' }],
    ['{"no": "no", "\\u0061": 1}', { no: 'no', a: 1 }],
    ['"x"', 'x'],
  ])('reads %j', async (text, value) => {
    expect(await valueOf(text, 'json')).toStrictEqual(value);
  });

  it.each<[string, string[]]>([
    ['{"a":1,}', ['1:8: not valid JSON: a comma before "}" is not allowed']],
    ['[1,\n 2,\n]', ['3:1: not valid JSON: a comma before "]" is not allowed']],
    ['// x\n{}', ['1:1: not valid JSON: a value is missing here']],
    ["{'a': 1}", ['1:2: not valid JSON: a key in double quotes is missing']],
    ['a: 1', ['1:1: not valid JSON: a value is missing here']],
    ['', ['1:1: not valid JSON: unexpected end of input']],
    ['{"a', ['1:4: not valid JSON: unexpected end of input']],
    ['{"a": 1,\n "a": 2}', ['2:2: duplicate key `a`']],
    ['{"a": 1, "\\u0061": 2, "a": 3}', ['1:10: duplicate key `a`', '1:23: duplicate key `a`']],
    ['{"__proto__": 1}', ['1:2: this key is not allowed']],
    ['{"a": {"\\u005f_proto__": 1}}', ['1:8: this key is not allowed']],
    ['{"a":"x\u001b"}', ['1:8: not valid JSON: a line break or control character in a string must be escaped']],
    ['{"a": NaN}', ['1:7: not valid JSON: a value is missing here']],
    ['{"a": 012}', ['1:8: not valid JSON: a number must not start with 0']],
    ['\ufeff{"a": 1,\n"a": 2}', ['2:1: duplicate key `a`']],
    ['\ufeff{"a": 1, "a": 2}', ['1:10: duplicate key `a`']],
  ])('rejects %j', async (text, problems) => {
    expect(await problemsOf(text, 'json')).toEqual(problems);
  });

  it('reads a very long string', async () => {
    expect(((await valueOf(`{"a":"${'x'.repeat(LONG)}"}`, 'json')) as { a: string }).a).toHaveLength(LONG);
  });

  it('reads long keys, and rejects deep nesting and a very long truncated document', async () => {
    expect(await valueOf(`{"${'k'.repeat(2000)}": 1}`, 'json')).toEqual({ ['k'.repeat(2000)]: 1 });
    const closed = `${'['.repeat(150)}${']'.repeat(150)}`;
    expect(await problemsOf(closed, 'json')).toEqual(['1:101: nested deeper than 100 levels']);
    const members = `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`;
    expect(await problemsOf(members, 'json')).toEqual(['1:501: nested deeper than 100 levels']);
    expect(await valueOf(members.slice(5, -1), 'json')).toHaveProperty('a.a.a');
    expect(await problemsOf('['.repeat(DEEP), 'json')).toEqual(['1:501: nested deeper than 500 levels']);
    const cut = `{"a":"${'x'.repeat(LONG)}`;
    expect(await problemsOf(cut, 'json')).toEqual([`1:${LONG + 7}: not valid JSON: unexpected end of input`]);
  });

  it('reads any value without losing a digit', async () => {
    const key = fc.string({ unit: 'binary', maxLength: 5 }).filter((text) => text !== '__proto__');
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }),
        fc.bigInt({ min: -(2n ** 64n), max: -(2n ** 53n) }),
        fc.maxSafeInteger(),
        fc.string({ unit: 'grapheme' }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom(undefined, 2, '\t'), async (any, indent) => {
        const text = stringifyJson(any, indent);
        expect(await valueOf(text, 'json')).toStrictEqual(any);
      }),
      runs(500),
    );
  });
});

describe('positions', () => {
  const YAML = [
    'top: x # c',
    'roles:',
    '  - role_id: "a"',
    '    tasks: &t [x, {task_id: y}]',
    '    empty:',
    '  - role_id: b',
    '    tasks: *t',
  ].join('\n');
  const JSON_TEXT =
    '{\n  "top": "x",\n  "roles": [\n    {"role_id": "a", "tasks": ["x", {"task_id": "y"}]},\n    {}\n  ]\n}';

  it.each<[Format, string, (string | number)[], 'key' | undefined, string]>([
    ['yaml', YAML, [], undefined, '1:1'],
    ['yaml', YAML, ['top'], undefined, '1:6'],
    ['yaml', YAML, ['top'], 'key', '1:1'],
    ['yaml', YAML, ['roles', 0], undefined, '3:5'],
    ['yaml', YAML, ['roles', 0, 'role_id'], undefined, '3:14'],
    ['yaml', YAML, ['roles', 0, 'role_id'], 'key', '3:5'],
    ['yaml', YAML, ['roles', 0, 'tasks', 1, 'task_id'], undefined, '4:29'],
    ['yaml', YAML, ['roles', 0, 'empty'], undefined, '5:5'],
    ['yaml', YAML, ['roles', 1, 'tasks'], undefined, '7:12'],
    ['yaml', YAML, ['roles', 1, 'tasks', 0], undefined, '4:16'],
    ['yaml', YAML, ['roles', 1, 'name'], undefined, '6:5'],
    ['yaml', YAML, ['roles', 7, 'name'], undefined, '3:3'],
    ['yaml', YAML, ['top', 'deeper', 0], undefined, '1:6'],
    ['yaml', YAML, ['nothing'], 'key', '1:1'],
    ['yaml', 'a: 1', ['a'], undefined, '1:4'],
    ['yaml', '😀: {é: 1}', ['😀', 'é'], undefined, '1:9'],
    ['json', JSON_TEXT, [], undefined, '1:1'],
    ['json', JSON_TEXT, ['top'], undefined, '2:10'],
    ['json', JSON_TEXT, ['top'], 'key', '2:3'],
    ['json', JSON_TEXT, ['roles', 0, 'tasks', 1, 'task_id'], undefined, '4:49'],
    ['json', JSON_TEXT, ['roles', 0, 'tasks', 1, 'task_id'], 'key', '4:38'],
    ['json', JSON_TEXT, ['roles', 1, 'name'], undefined, '5:5'],
    ['json', JSON_TEXT, ['roles', 9], undefined, '3:12'],
    ['json', '\ufeff{"a": [1, 2]}', ['a', 1], undefined, '1:11'],
  ])('are correct in %s (case %#)', async (format, text, path, at, place) => {
    const { line, column } = (await parseDocumentText('file', text, format)).locate(path, at);
    expect(`${line}:${column}`).toBe(place);
  });

  it('determine the order in which issues are listed', async () => {
    const document = await parseDocumentText('roles.yaml', YAML, 'yaml');
    const issues = [
      { path: ['roles', 1], message: 'third' },
      { path: ['roles', 0, 'empty'], message: 'second', at: 'key' as const },
      { path: ['top'], message: 'first' },
    ];
    const inLine = [
      { path: ['roles', 0, 'tasks', 1], message: 'second' },
      { path: ['roles', 0, 'tasks', 0], message: 'first' },
    ];
    expect(placeIssues(document, inLine).map(({ message }) => message)).toEqual(['first', 'second']);
    expect(placeIssues(document, issues)).toEqual([
      { file: 'roles.yaml', line: 1, column: 6, path: 'top', message: 'first' },
      { file: 'roles.yaml', line: 5, column: 5, path: 'roles[0].empty', message: 'second' },
      { file: 'roles.yaml', line: 6, column: 5, path: 'roles[1]', message: 'third' },
    ]);
    expect(invalidDocument(document, 'roles file', issues)).toMatchObject({
      code: 'input.invalid',
      message: 'roles.yaml is not a valid roles file: 3 issues. Nothing was sent.',
      issues: placeIssues(document, issues),
    });
    expect(invalidDocument(document, 'group', issues.slice(1, 2)).message).toBe(
      'roles.yaml is not a valid group: 1 issue. Nothing was sent.',
    );
  });
});

it.each([
  [{ $schema: './x.json', id: 'a' }, { id: 'a' }],
  [{ id: 'a' }, { id: 'a' }],
  [{ $schema: 1 }, {}],
  [['$schema'], ['$schema']],
  [null, null],
  ['$schema', '$schema'],
])('removes the schema hint, if any, from %j', (value, expected) => {
  expect(withoutSchemaHint(value)).toEqual(expected);
});

describe('loadDocument', () => {
  const stdin = (...chunks: (string | Buffer)[]): Readable => Readable.from(chunks);

  it.each([
    ['roles.json', 'json'],
    ['ROLES.JSON', 'json'],
    ['roles.yaml', 'yaml'],
    ['roles.yml', 'yaml'],
    ['roles.jsonc', 'yaml'],
    ['json', 'yaml'],
    ['-', 'yaml'],
  ])('reads %s as %s', (path, format) => {
    expect(formatOf(path)).toBe(format);
  });

  it('reads a file in the format that its extension indicates, and standard input for `-`', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a.json'), '{"a": 1}');
    writeFileSync(join(cwd, 'b.yaml'), 'a: 1 # one');
    expect(await loadDocument('a.json', inputSource(cwd))).toMatchObject({
      name: 'a.json',
      format: 'json',
      value: { a: 1 },
    });
    expect(await loadDocument(join(cwd, 'b.yaml'), inputSource('/'))).toMatchObject({
      format: 'yaml',
      value: { a: 1 },
    });
    const bytes = Buffer.from('a: é');
    const piped = await loadDocument('-', inputSource(cwd, stdin(bytes.subarray(0, 4), bytes.subarray(4))));
    expect(piped).toMatchObject({ name: '<stdin>', text: 'a: é', value: { a: 'é' } });
  });

  it('skips a byte order mark', async () => {
    expect(await loadDocument('-', inputSource('/', stdin('\ufeffa: 1')))).toMatchObject({
      text: 'a: 1',
      value: { a: 1 },
    });
  });

  it.each<[string, Buffer, RegExp, string]>([
    ['UTF-16', Buffer.from('\ufeffa: 1', 'utf16le'), /UTF-16; save it as UTF-8/, '1:1'],
    ['UTF-16, big-endian', Buffer.from([0xfe, 0xff, 0, 0x61]), /UTF-16/, '1:1'],
    ['Latin-1', Buffer.from('a: 1\nb: \xe9\n', 'latin1'), /invalid UTF-8/, '2:4'],
    [
      'Latin-1 after a replacement character',
      Buffer.from('a: \xef\xbf\xbd\nb: \xe9\n', 'latin1'),
      /invalid UTF-8/,
      '2:4',
    ],
    ['Latin-1 before other lines', Buffer.from('a: \xe9\nb: 2\nc: 3\n', 'latin1'), /invalid UTF-8/, '1:4'],
    ['Latin-1 after a byte order mark', Buffer.from('\xef\xbb\xbfa: \xe9', 'latin1'), /invalid UTF-8/, '1:4'],
    ['a character truncated by another', Buffer.from('a: \xe2\x82b', 'latin1'), /invalid UTF-8/, '1:4'],
    ['a character truncated at the end', Buffer.from('a: \xe2\x82', 'latin1'), /invalid UTF-8/, '1:4'],
    [
      'a character that begins like the replacement character',
      Buffer.from('a: \xef\xbfb', 'latin1'),
      /invalid UTF-8/,
      '1:4',
    ],
    ['NUL', Buffer.from('a: 1\n  \0'), /NUL/, '2:3'],
    ['NUL as the first byte', Buffer.from('\0'), /NUL/, '1:1'],
  ])('rejects %s', async (_what, bytes, message, place) => {
    const error = await failureOf(loadDocument('-', inputSource('/', stdin(bytes))));
    expect(error).toMatchObject({
      code: 'input.invalid',
      issues: [{ file: '<stdin>', message: expect.stringMatching(message) as string }],
    });
    const [issue] = (error as KnownError).issues;
    expect(`${issue?.line}:${issue?.column}`).toBe(place);
  });

  it('rejects a file, pipe or device with too much data', async () => {
    const cwd = temporaryFolder();
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    writeFileSync(join(cwd, 'big.yaml'), Buffer.concat(Array.from({ length: 33 }, () => megabyte)));
    const endless = Readable.from(
      (function* () {
        for (;;) yield megabyte;
      })(),
    );
    for (const path of ['big.yaml', '-', '/dev/zero']) {
      await expect(loadDocument(path, inputSource(cwd, endless))).rejects.toMatchObject({
        code: 'input.invalid',
        message: expect.stringContaining('is larger than 32 MiB') as string,
      });
    }
  });

  it.each([
    ['a missing file', 'missing.yaml', /missing\.yaml: no such file/],
    ['a path inside a file', 'file/inside.yaml', /no such file/],
    ['a folder', 'folder', /folder: it is a folder/],
  ])('reports %s as a usage error', async (_what, path, message) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'folder'));
    writeFileSync(join(cwd, 'file'), '');
    await expect(loadDocument(path, inputSource(cwd))).rejects.toMatchObject({
      code: 'files.read',
      exit: 'usage',
      message: expect.stringMatching(message) as string,
    });
  });
});
