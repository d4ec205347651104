// Converts the cells of a table row to the JSON body for one user.
import { describe, expect, it, test } from 'vitest';
import { checkRow, createRowRules } from '../../../../../src/lib/domain/seed/read-row.ts';
import { cellsOf } from '../../../../../src/lib/domain/csv/record.ts';
import { tableOf } from '../../../../../src/lib/domain/seed/csv-rows.ts';
import { parseJson } from '../../../../../src/lib/kernel/json.ts';

const HEADER = [
  'xpid', 'identity:email', 'attr:Orders:count', 'attr:"a:b":sum', 'attr:Avg:average:sum', 'attr:Avg:average:count', 'attr:M:average',
  'attr:F:first_occurrence', 'attr:T:last_occurrence_timestamp', 'attr:L:unique_list', 'attr:P:most_frequent', 'user:note', 'environment', 'cutoff_date',
]; // prettier-ignore
const defaults = { workspace: '5001', environment: 'production', cutoffDate: '2024-02-29' };
const options = { name: 'users.csv', defaults, map: undefined, rules: createRowRules({}) };

test('converts a row to a body according to its header', () => {
  const table = tableOf(HEADER, options);
  const cells = [
    '-7201284209016359738',
    '',
    '12',
    '1.5',
    '10',
    '2',
    '',
    'x',
    '1609459200000',
    'a|b',
    'red=7',
    'hi',
    '',
    '',
  ];
  const record = cellsOf(cells);
  const out = Buffer.alloc(table.writer?.room(record.bytes.length) ?? 0);
  const end = table.writer?.write(record, out, 0) ?? 0;
  expect(parseJson(out.toString('utf8', 0, end))).toEqual({
    environment: 'production',
    xpid: -7201284209016359738n,
    calculated_attributes: {
      '5001': [
        ['Orders', 'count', { value: '12' }],
        ['a:b', 'sum', { value: '1.5' }],
        ['Avg', 'average', { key_value_pairs: { sum: '10', count: '2' } }],
        ['F', 'first_occurrence', { value: 'x' }],
        ['T', 'last_occurrence_timestamp', { value: '1609459200000' }],
        ['L', 'unique_list', { list: ['a', 'b'] }],
        ['P', 'most_frequent', { key_value_pairs: { red: '7' } }],
      ].map(([attribute_name, calculation_type, seed]) => ({
        attribute_name,
        calculation_type,
        cutoff_date: '2024-02-29',
        seed,
      })),
    },
    user_attributes: { '5001': [{ attribute_name: 'note', attribute_value: 'hi' }] },
  });
});

describe("a row's value", () => {
  const header = ['xpid', 'user:a', 'environment', 'identity:email', 'cutoff_date', 'attr:N:count', 'user:b', 'attr:N:unique_list', 'identity:other', 'attr:K:most_frequent:red', 'attr:K:most_frequent', 'attr:T:last_occurrence_timestamp']; // prettier-ignore
  const value = (cells: Partial<Record<string, unknown>>): Record<string, unknown> =>
    tableOf(header, options).value(header.map((title) => cells[title]));
  const seedOf = (cells: Partial<Record<string, unknown>>): unknown =>
    (value(cells)['calculated_attributes'] as Record<string, { seed: unknown }[]>)['5001']?.map(({ seed }) => seed);
  const time = '2024-01-31T22:30:00.000Z';

  it('omits empty cells', () => {
    const bare = { environment: 'production', calculated_attributes: { '5001': [] } };
    for (const empty of [undefined, null, '']) {
      expect(value(Object.fromEntries(header.map((title) => [title, empty])))).toStrictEqual(bare);
    }
  });

  it('contains each cell in its field, with every value except the id converted to a string', () => {
    const cells = { xpid: 7n, environment: 'development', cutoff_date: time, 'attr:N:count': 12 };
    const texts = { 'user:a': true, 'user:b': 1.5, 'identity:email': 9223372036854775807n, 'identity:other': time };
    const own = { attribute_name: 'N', calculation_type: 'count', cutoff_date: '2024-01-31', seed: { value: '12' } };
    expect(value({ ...cells, ...texts })).toStrictEqual({
      environment: 'development',
      xpid: 7n,
      identities: { email: '9223372036854775807', other: '2024-01-31T22:30:00.000Z' },
      calculated_attributes: { '5001': [own] },
      user_attributes: {
        '5001': [
          { attribute_name: 'a', attribute_value: 'true' },
          { attribute_name: 'b', attribute_value: '1.5' },
        ],
      },
    });
  });

  it('does not contain a date if neither the row nor the defaults contain one', () => {
    const table = tableOf(['xpid', 'attr:N:count', 'cutoff_date'], {
      ...options,
      defaults: { ...defaults, cutoffDate: undefined },
    });
    expect(table.value(['', '1', ''])).toStrictEqual({
      environment: 'production',
      calculated_attributes: {
        '5001': [{ attribute_name: 'N', calculation_type: 'count', seed: { value: '1' } }],
      },
    });
  });

  it.each<[string, unknown, unknown]>([
    ['attr:N:unique_list', 'a||b', { list: ['a', '', 'b'] }],
    ['attr:N:unique_list', ['a', 7n, 1.5, true, null], { list: ['a', '7', '1.5', 'true', null] }],
    ['attr:N:unique_list', 12, { list: ['12'] }],
    ['attr:T:last_occurrence_timestamp', time, { value: 1_706_740_200_000 }],
    ['attr:T:last_occurrence_timestamp', '2024-01-31T22:30:00.123456', { value: 1_706_740_200_123 }],
    ['attr:T:last_occurrence_timestamp', '2024-01-31', { value: 1_706_659_200_000 }],
    ['attr:T:last_occurrence_timestamp', '2024-02-30', { value: '2024-02-30' }],
    ['attr:T:last_occurrence_timestamp', 5n, { value: '5' }],
    ['attr:N:count', { no: 'text' }, { value: { no: 'text' } }],
    ['attr:K:most_frequent:red', 7, { key_value_pairs: { red: '7' } }],
    ['attr:K:most_frequent', 'a=b=1|c', { key_value_pairs: { 'a=b': '1', c: '' } }],
    ['attr:K:most_frequent', { a: 1n, b: 'x' }, { key_value_pairs: { a: 1n, b: 'x' } }],
    ['attr:K:most_frequent', 7n, { key_value_pairs: { '7': '' } }],
  ])('contains the seed from a cell in the column %s (case %#)', (title, cell, seed) => {
    expect(seedOf({ [title]: cell })).toStrictEqual([seed]);
  });

  it('combines the cells for one name and type into one attribute', () => {
    const cells = { 'attr:N:count': '1', 'attr:N:unique_list': 'x', 'attr:K:most_frequent:red': '1' };
    expect(seedOf({ ...cells, 'attr:K:most_frequent': 'blue=2' })).toStrictEqual([
      { value: '1' },
      { list: ['x'] },
      { key_value_pairs: { red: '1', blue: '2' } },
    ]);
  });
});

describe("an issue's column", () => {
  const header = [' Id', 'Mail', 'Left out', 'A', 'B', 'K', 'L'];
  const map = { Id: 'identity:customer_id', Mail: 'identity:email', A: 'user:a', B: 'user:b', K: 'attr:K:most_frequent:red', L: 'attr:K:most_frequent' }; // prettier-ignore
  const full = ['1', 'm', '', '', 'b', 'r', 'blue=1'];
  const seed = ['calculated_attributes', '5001', 0, 'seed', 'key_value_pairs'];

  it.each<[(string | number)[], string, string]>([
    [[], 'Id, Mail', 'is wrong'],
    [['identities', 'email'], 'Mail', 'is wrong'],
    [['identities', 'customer_id', 'x'], 'Id', '`x` is wrong'],
    // Column A is empty, so attribute B is the first one in the body.
    [['user_attributes', '5001', 0, 'attribute_value'], 'B', 'is wrong'],
    [['user_attributes', '5001', 1, 'attribute_value'], '', 'is wrong'],
    [[...seed, 'red'], 'K', 'is wrong'],
    [[...seed, 'blue'], 'K', '`blue` is wrong'],
    [seed, 'K', 'is wrong'],
    [['calculated_attributes', '5001', 1, 'seed'], '', 'is wrong'],
    // The cutoff date has no column because it is the same for all rows.
    [['calculated_attributes', '5001', 0, 'cutoff_date'], 'cutoff_date', 'is wrong'],
    [['environment'], 'environment', 'is wrong'],
    [['xpid'], 'xpid', 'is wrong'],
    [['other', 'x'], '', '`other.x` is wrong'],
  ])('is correct, or empty if no column is at fault, for the path %j', (path, column, message) => {
    const table = tableOf(header, { ...options, map: new Map(Object.entries(map)) });
    expect(table.issue({ path, message: 'is wrong' }, full)).toEqual({ path: column, message });
  });

  it('is shown with its name in the file, not with the name of its field', () => {
    const columns = { Whom: 'xpid', Where: 'environment', Until: 'cutoff_date', N: 'attr:N:count' };
    const table = tableOf(Object.keys(columns), { ...options, map: new Map(Object.entries(columns)) });
    const paths = [['xpid'], ['environment'], ['calculated_attributes', '5001', 0, 'cutoff_date']];
    expect(paths.map((path) => table.issue({ path, message: '' }, ['', '', '', '1']).path)).toEqual([
      'Whom',
      'Where',
      'Until',
    ]);
  });

  it('is reported without the key if the message already names the key', () => {
    const table = tableOf(header, { ...options, map: new Map(Object.entries(map)) });
    const path = [...seed, 'blue'];
    expect(table.issue({ path, message: 'unknown field `blue`' }, full).message).toBe('unknown field `blue`');
  });
});

/** Returns the issues in a valid row with the given cells replaced. */
function issuesWith(cells: Partial<Record<string, string>>): string[] {
  const table = tableOf(HEADER, options);
  const row = HEADER.map((title) => cells[title] ?? { xpid: '7', cutoff_date: '2024-01-31' }[title] ?? '');
  const checked = checkRow(table.value(row), createRowRules({}));
  if ('text' in checked) return [];
  return checked.issues.map((found) => table.issue(found, row)).map(({ path, message }) => `${path}: ${message}`);
}

test.each<[Partial<Record<string, string>>, string[]]>([
  [{ xpid: 'seven' }, ['xpid: must be a signed 64-bit integer in plain digits, such as -42']],
  [{ xpid: '' }, ['xpid, identity:email: empty; every row needs an `xpid` or an identity']],
  [{ 'identity:email': 'x'.repeat(5000) }, ['identity:email: has 5000 characters']],
  [{ environment: 'prod' }, ['environment: must be `production` or `development`']],
  [{ 'attr:Orders:count': 'x' }, ['attr:Orders:count: must be a whole number, 0 or more']],
  // The cells of earlier attributes are empty, so `a:b` is the first attribute in the body.
  [{ 'attr:"a:b":sum': 'x' }, ['attr:"a:b":sum: must be a number']],
  [{ 'attr:Avg:average:sum': '1', 'attr:Avg:average:count': '0' }, ['attr:Avg:average:count: must be a positive integer']],
  [{ 'attr:Avg:average:sum': '1' }, ['attr:Avg:average:count: is missing']],
  [{ 'attr:M:average': 'sum=1' }, ['attr:M:average: `count` is missing']],
  [{ 'attr:M:average': 'sum=1|count=2|x=3' }, ['attr:M:average: unknown field `x`']],
  [{ 'attr:P:most_frequent': 'red=1|blue=x' }, ['attr:P:most_frequent: `blue` must be a whole number, 0 or more']],
  [{ 'attr:T:last_occurrence_timestamp': '31.01.2024' }, ['attr:T:last_occurrence_timestamp: must be a time in whole']],
  [{ 'attr:Orders:count': '1', cutoff_date: '2024-02-30' }, ['cutoff_date: must be a valid date']],
  [{ xpid: 'x', 'attr:F:first_occurrence': 'x', 'attr:P:most_frequent': 'a' }, ['xpid: must', 'attr:P:most_frequent: `a` must']],
])('reports the columns of the issues in %j', (cells, issues) => {
  expect(issuesWith(cells)).toEqual(issues.map((issue) => expect.stringContaining(issue) as unknown));
}); // prettier-ignore

test('reports a mapped column by its name in the file', () => {
  const header = [' Customer ', 'Bought'];
  const map = { Customer: 'identity:osa_id', Bought: 'attr:Orders:count' };
  // The deployment has its own name for this identity.
  const rules = createRowRules({ osa_id: 'ours_id' });
  const renamed = tableOf(header, { name: 'u.csv', defaults, map: new Map(Object.entries(map)), rules });
  const cells = ['x'.repeat(5000), 'many'];
  const checked = checkRow(renamed.value(cells), rules);
  expect('issues' in checked && checked.issues.map((found) => renamed.issue(found, cells).path)).toEqual([
    'Customer',
    'Bought',
  ]);
});

test('reports the columns of Parquet cells with unsuitable types', () => {
  const cells = [
    7n,
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    ['a', null],
    null,
    { no: 'text' },
    'production',
    5,
  ];
  const table = tableOf(HEADER, options);
  const checked = checkRow(table.value(cells), createRowRules({}));
  const issues = 'issues' in checked ? checked.issues.map((found) => table.issue(found, cells)) : [];
  expect(issues).toEqual([
    { path: 'cutoff_date', message: 'must be a string, not a number; put it in quotes' },
    { path: 'attr:L:unique_list', message: '`[1]` must be a string, not null' },
    { path: 'user:note', message: 'must be a string, not an object' },
  ]);
});
