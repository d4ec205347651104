// Reads hostile seed files: invalid rows are reported with their line, valid rows are sent, and nothing is sent from a
// file that is rejected as a whole.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Seeding, startSeeding, userRow } from '../helpers/seeding-home.ts';

const MB = 'x'.repeat(10_000_000);
const [ONE, TWO, THREE] = [userRow(1), userRow(2), userRow(3)];
const lines = (...rows: string[]): string => rows.map((row) => `${row}\n`).join('');
const array = (...rows: string[]): string => `[\n  ${rows.join(',\n  ')}\n]\n`;
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const dated = (date: string): string => ONE.replace('2024-01-31', date);
const valued = (value: string): string => ONE.replace('"3"', value);
const named = (name: string): string => ONE.replace('Orders', name);
/** One-based column of the attribute name in a row. */
const NAME_AT = ONE.indexOf('Orders') + 1;

const DATE = 'cutoff_date: must be a valid date in the format yyyy-MM-dd';
const LONG = 'xpid: must be a signed 64-bit integer in plain digits, such as -42';
const COUNT = 'seed.value: must be a whole number, 0 or more';
const DUPLICATE = 'a field is duplicated or not allowed';

/** Part of the reason, by line. */
type Reasons = Record<number, string>;

interface Case {
  what: string;
  content: string | Buffer;
  /** Number of accepted rows. */
  accepted: number;
  reasons?: Reasons;
}

/** Invalid JSON rows, each placed between two valid ones as a line or as an array element. */
const ROWS: readonly (readonly [what: string, row: string, reason: string])[] = [
  ['a duplicate key', TWO.replace('"xpid":2', '"xpid":2,"xpid":3'), DUPLICATE],
  ['a duplicate key, once escaped', TWO.replace('"xpid":2', '"xpid":2,"\\u0078pid":3'), DUPLICATE],
  ['__proto__', TWO.replace('{', '{"__proto__":{"polluted":true},'), DUPLICATE],
  ['constructor', TWO.replace('{', '{"constructor":{"prototype":{"polluted":true}},'), 'constructor'],
  ['a bare control character', named('Or\u0007ders'), `not valid JSON: a line break or control character in a string must be escaped (character ${NAME_AT + 2})`],
  ['a string of 10 MB instead of a number', valued(`"${MB}"`), COUNT],
  ['an unknown field of 10 MB', TWO.replace('{', `{"${MB}":1,`), 'xxx'],
  ['deep nesting', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'nested deeper than 500 levels (character 501)'],
  ['null', 'null', 'must be'],
  ['a number', '42', 'must be'],
  ['an array', '[]', 'must be'],
  ['an integer of more than 64 bits', userRow('18446744073709551616'), LONG],
  ['one above the signed 64-bit range', userRow('9223372036854775808'), LONG],
  ['a negative zero', userRow('-0'), LONG],
  ['one below the signed 64-bit range', userRow('-9223372036854775809'), LONG],
  ['an integer of 2,000 digits', userRow('9'.repeat(2000)), 'a number has more than 1000 digits'],
  ['a fraction', userRow('1.5'), LONG],
  ['an id with a leading zero', userRow('007'), 'a number must not start with 0'],
  ['a count that is a fraction', valued('"1.5"'), COUNT],
  ['an invalid date', dated('2026-02-29'), DATE],
  ['a date without leading zeros', dated('2026-1-1'), DATE],
  ['a date with dots', dated('01.02.2026'), DATE],
  ['a date with slashes', dated('2026/01/01'), DATE],
  ['a date with a time', dated('2026-01-01T00:00:00Z'), DATE],
  ['a date in milliseconds', dated('1767225600000'), DATE],
  ['an empty date', dated(''), DATE],
  ['the year 0 and month 13', dated('0000-13-01'), DATE],
  ['a byte that is not UTF-8', '\u0000bad', 'contains invalid UTF-8'],
]; // prettier-ignore

/** Replaces `\0bad` with a row that contains invalid UTF-8. */
function bytes(text: string): Buffer {
  const [before = '', after] = text.split('\u0000bad');
  if (after === undefined) return Buffer.from(text);
  const [front = '', back = ''] = named('\u0000').split('\u0000');
  return Buffer.concat([Buffer.from(before + front), Buffer.from([0xff]), Buffer.from(back + after)]);
}

const NDJSON: readonly Case[] = [
  ...ROWS.map(([what, row, reason]) => ({ what, content: bytes(lines(ONE, row, THREE)), accepted: 2, reasons: { 2: reason } })),
  { what: 'a byte order mark, CRLF and empty lines', content: `\ufeff${ONE}\r\n\r\n  \r\n${TWO}\r\n`, accepted: 2 },
  { what: 'only empty lines', content: '\n\r\n\n', accepted: 0 },
  { what: 'an empty file', content: '', accepted: 0 },
  { what: 'a truncated last line', content: `${ONE}\n${TWO}\n${THREE.slice(0, -30)}`, accepted: 2, reasons: { 3: 'unexpected end of input' } },
  { what: 'bidi and escaped control characters in a name', content: lines(named('O\u202e\\u0007')), accepted: 1 },
  { what: 'a name of 10 MB', content: lines(ONE, named(MB), THREE), accepted: 3 },
  { what: 'a NUL after the first 4 kB', content: lines(...Array.from({ length: 50 }, () => ONE), named('\u0000')), accepted: 50, reasons: { 51: 'control character' } },
]; // prettier-ignore

const JSON_ARRAY: readonly Case[] = [
  ...ROWS.map(([what, row, reason]) => ({ what, content: bytes(array(ONE, row, THREE)), accepted: 2, reasons: { 3: reason } })),
  { what: 'a byte order mark and no whitespace', content: `\ufeff[${ONE},${TWO}]`, accepted: 2 },
  { what: 'no elements', content: '[]', accepted: 0 },
  { what: 'a truncated last element', content: `[${ONE},\n${TWO},\n\n${THREE.slice(0, -30)}`, accepted: 2, reasons: { 4: 'unexpected end of input' } },
  { what: 'an array that is not closed', content: `[${ONE},\n${TWO}\n`, accepted: 2, reasons: { 3: 'the array is not closed' } },
  { what: 'elements that span many lines', content: JSON.stringify([1, 2, 3].map((id) => JSON.parse(userRow(id === 2 ? '"x"' : id)) as unknown), undefined, 1), accepted: 2, reasons: { 18: LONG } },
]; // prettier-ignore

const CELL = 'attr:Orders:count: must be a whole number, 0 or more';
const HEAD = 'xpid,attr:Orders:count,user:n,cutoff_date';
const CSV: readonly Case[] = [
  { what: 'an empty file', content: '', accepted: 0 },
  { what: 'too many and too few cells', content: lines(HEAD, '1,2,a,2024-01-31', '2,2,a,2024-01-31,x', '3', '4,2,,2024-01-31'), accepted: 2, reasons: { 3: 'has 5 columns; the header has 4', 4: 'has 1 column; the header has 4' } },
  { what: 'line breaks in quotes', content: lines(HEAD, '1,2,"a\n\nb",2024-01-31', '2,x,a,2024-01-31'), accepted: 1, reasons: { 5: CELL } },
  { what: 'dates in many forms', content: lines(HEAD, '1,2,a,2026-02-29', '2,2,a,01/02/2026', '3,2,a,2026-1-1', '4,2,a,2024-02-29', '5,2,a,'), accepted: 1, reasons: { 2: DATE, 3: DATE, 4: DATE, 6: 'cutoff_date: is missing' } },
  { what: 'big integers', content: lines(HEAD, ...['9223372036854775807', '-7201284209016359738', '-9223372036854775808', '9223372036854775808', '18446744073709551615', '-9223372036854775809', '-0', '1e5', '1.0'].map((id) => `${id},2,a,2024-01-31`)), accepted: 3, reasons: { 5: LONG, 6: LONG, 7: LONG, 8: LONG, 9: LONG, 10: 'must be an integer without a decimal point' } },
  { what: 'control and bidi characters', content: lines(HEAD, '1,2,a\u0007\u001b[31m,2024-01-31', '2,\u202e2,a,2024-01-31'), accepted: 1, reasons: { 3: CELL } },
  { what: 'a byte that is not UTF-8', content: Buffer.from(lines(HEAD, '1,2,\u00ff,2024-01-31', '2,2,a,2024-01-31'), 'latin1'), accepted: 1, reasons: { 2: 'contains invalid UTF-8' } },
  { what: 'a cell of 10 MB', content: lines(HEAD, `1,2,${MB},2024-01-31`, `2,${MB},a,2024-01-31`, '3,2,a,2024-01-31'), accepted: 2, reasons: { 3: CELL } },
  { what: 'pairs named __proto__', content: lines('xpid,attr:F:most_frequent,cutoff_date', '1,__proto__=1|a=2,2024-01-31', '2,a=1|a=2,2024-01-31'), accepted: 2 },
  { what: 'columns named __proto__ and constructor', content: lines('xpid,user:__proto__,user:constructor,attr:__proto__:count,cutoff_date', '1,a,b,3,2024-01-31'), accepted: 1 },
  { what: 'a byte order mark, CRLF and empty lines', content: `\ufeff\r\n${HEAD}\r\n\r\n1,2,a,2024-01-31\r\n\r\n2,x,a,2024-01-31\r\n`, accepted: 1, reasons: { 6: CELL } },
  { what: 'only a header', content: HEAD, accepted: 0 },
]; // prettier-ignore

/** Files that are rejected as a whole, with their issues; `map` is the text of the map file. */
const WHOLE: readonly (readonly [what: string, name: string, content: string | Buffer, issues: string[], map?: string])[] = [
  ['UTF-16', 'u.ndjson', utf16(`\ufeff${ONE}\n`), ['u.ndjson:1:1: the file is UTF-16']],
  ['UTF-16 without a byte order mark', 'u.ndjson', utf16(`${ONE}\n`), ['u.ndjson:1:2: unexpected NUL byte']],
  ['a NUL in the second line', 'u.ndjson', lines(ONE, 'ab\u0000'), ['u.ndjson:2:3: unexpected NUL byte']],
  ['UTF-16', 'u.json', utf16(`\ufeff[${ONE}]`), ['u.json:1:1: the file is UTF-16']],
  ['UTF-16', 'u.csv', utf16(`\ufeff${HEAD}\n`), ['u.csv:1:1: the file is UTF-16']],
  ['a NUL in a cell', 'u.csv', lines(HEAD, '1,2,a\u0000,'), ['u.csv:2:6: unexpected NUL byte']],
  ['an unclosed quote', 'u.csv', lines(HEAD, '1,2,a,2024-01-31', '2,2,"a,2024-01-31', '3,2,a,2024-01-31'), ['u.csv:3:5: this cell starts with a quote that is never closed']],
  ['a duplicate column', 'u.csv', lines('xpid,xpid', '1,2'), ['u.csv:1: xpid: maps to the same field as the `xpid` column']],
  ['unknown columns', 'u.csv', lines('', 'xpid,attr:Orders:cuont,foo\u202e', '1,2,3'), ['u.csv:2: attr:Orders:cuont: has an unknown calculation type `cuont`; did you mean `count`?', 'u.csv:2: foo']],
  ['no identity column', 'u.csv', lines('user:n', 'a'), ['u.csv:1: there is no `xpid` or `identity:<type>` column']],
  ['a header that is not UTF-8', 'u.csv', Buffer.from('xpid,user:\u00ff\n', 'latin1'), ['u.csv:1:1: contains invalid UTF-8']],
  ['a truncated gzip file', 'u.ndjson.gz', gzipSync(lines(ONE, TWO)).subarray(0, -12), ['u.ndjson.gz: is not a complete gzip file']],
  ['an invalid Parquet file', 'u.parquet', 'PAR1xxxxxxxxxxxxPAR1', ['u.parquet: is not a readable Parquet file']],
  ['a map with a duplicate key', 'u.csv', lines('a,b', '1,2'), ['map.yaml:2:1: a: duplicate key `a`'], 'a: xpid\na: xpid\n'],
  ['a map with __proto__', 'u.csv', lines('a,b', '1,2'), ['map.yaml:1:1: __proto__: this key is not allowed'], '__proto__: xpid\n'],
  ['a map that is a list', 'u.csv', lines('a,b', '1,2'), ['map.yaml:1:1: must map columns to fields'], '- a\n'],
  ['a map to a number', 'u.csv', lines('a,b', '1,2'), ['map.yaml:2:4: b: must map columns to fields'], 'a: xpid\nb: 7\n'],
  ['a map to an unknown field', 'u.csv', lines('a,b', '1,2'), ['u.csv:1: a: is not a known column; did you mean `xpid`?'], 'a: xpdi\n'],
  ['a map of an unknown column', 'u.csv', lines('a,b', '1,2'), ['u.csv:1: c: is mapped, but the file does not have this column'], 'a: xpid\nc: user:c\n'],
  ['a map in UTF-16', 'u.csv', lines('a,b', '1,2'), ['map.yaml'], utf16('\ufeffa: xpid\n').toString('latin1')],
  ['a truncated map', 'u.csv', lines('a,b', '1,2'), ['map.yaml:1'], '{"a": "xpid"'],
]; // prettier-ignore

const STACK = /this is a bug|TypeError|RangeError|\bat \S+ \(|node:internal/i;
// Control and bidi characters that a terminal or a reader would interpret.
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

let seeding: Seeding;
let count = 0;
beforeAll(async () => {
  seeding = await startSeeding();
});
beforeEach(() => {
  seeding.sink.bodies.length = 0;
});
afterAll(() => seeding.close());

function expectPlain(stderr: string): void {
  expect(stderr).not.toMatch(STACK);
  expect(stderr.replaceAll('\n', '')).not.toMatch(RAW);
  expect(stderr.length).toBeLessThan(100_000);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
}

interface Rejected {
  rejected: { line: number; reason: string };
}

async function expectRows(extension: string, { content, accepted, reasons = {} }: Case): Promise<void> {
  const file = seeding.write(`rows-${++count}.${extension}`, content);
  const { code, result, stderr } = await seeding.bulk([file]);
  expectPlain(stderr);
  const wrong = Object.keys(reasons).length;
  expect([code, result.accepted, result.rejected]).toEqual([wrong > 0 ? 3 : 0, accepted, wrong]);
  expect(seeding.users()).toHaveLength(accepted);
  const rejects = result.rejects === null ? '' : readFileSync(result.rejects, 'utf8').trimEnd();
  const reported = rejects === '' ? [] : rejects.split('\n').map((line) => (JSON.parse(line) as Rejected).rejected);
  expect(reported.map(({ line }) => line)).toEqual(Object.keys(reasons).map(Number));
  for (const { line, reason } of reported) expect(reason).toContain(reasons[line] ?? '?');
}

describe('seed bulk with hostile NDJSON rows', () => {
  test.each(NDJSON)('accepts valid rows and reports the line and reason of invalid ones: $what', (row) =>
    expectRows('ndjson', row),
  );
});

describe('seed bulk with hostile rows of a JSON array', () => {
  test.each(JSON_ARRAY)('accepts valid rows and reports the line and reason of invalid ones: $what', (row) =>
    expectRows('json', row),
  );
});

describe('seed bulk with hostile CSV rows', () => {
  test.each(CSV)('accepts valid rows and reports the line and reason of invalid ones: $what', (row) =>
    expectRows('csv', row),
  );
});

describe('a seeding command', () => {
  const cases = WHOLE.map(([what, name, content, issues, map]) => ({ what, name, content, issues, map }));
  test.each(cases)(
    'rejects the whole file and sends nothing: $what in $name',
    async ({ what, name, content, issues, map }) => {
      seeding.write(name, content);
      const mapped = map === undefined ? [] : ['--map-file', seeding.write('map.yaml', Buffer.from(map, 'latin1'))];
      // `preview` succeeds if the file is invalid only after the first row.
      for (const command of ['bulk', 'validate', ...(/truncated gzip|unclosed/.test(what) ? [] : ['preview'])]) {
        const { code, stdout, stderr } = await seeding.run([
          'seed',
          command,
          name,
          ...mapped,
          ...(command === 'bulk' ? ['--yes'] : []),
        ]);
        expect([code, stdout]).toEqual([9, '']);
        expectPlain(stderr);
        for (const issue of issues) expect(stderr).toContain(issue);
      }
      expect(seeding.sink.bodies).toEqual([]);
      expect(existsSync(join(seeding.folder, `${name}.rejects.ndjson`))).toBe(false);
    },
  );
});

test('accepts the corrected version of a file that it rejected as a whole', async () => {
  seeding.write('second.csv', lines('xpdi,user:n', '1,a'));
  expect(await seeding.bulk(['second.csv'])).toMatchObject({ code: 9 });
  seeding.write('second.csv', lines('xpid,user:n', '1,a'));
  expect(await seeding.bulk(['second.csv'])).toMatchObject({ code: 0, result: { accepted: 1 } });
});
