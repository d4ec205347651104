// From the cells of a table to the body of a user.
import { expect, test } from 'vitest';
import { createWireNames } from '../../../../src/lib/contract/names.ts';
import { cellsOf } from '../../../../src/lib/domain/seed/csv-record.ts';
import { readHeader } from '../../../../src/lib/domain/seed/columns.ts';
import { tableOf } from '../../../../src/lib/domain/seed/csv-rows.ts';
import { checkRow } from '../../../../src/lib/domain/seed/read-row.ts';
import { parseJson } from '../../../../src/lib/kernel/json.ts';

const HEADER = [
  'xpid', 'identity:email', 'attr:Orders:count', 'attr:"a:b":sum', 'attr:Avg:average:sum', 'attr:Avg:average:count', 'attr:M:average',
  'attr:F:first_occurrence', 'attr:T:last_occurrence_timestamp', 'attr:L:unique_list', 'attr:P:most_frequent', 'user:note', 'environment', 'cutoff_date',
]; // prettier-ignore
const defaults = { workspace: '5001', environment: 'production', cutoffDate: '2024-02-29' };
const table = tableOf(HEADER, { name: 'users.csv', defaults, map: undefined, toWire: (word) => word });

test('a row becomes the body that its header says', () => {
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

test.each([
  ['xpdi', undefined, 'did you mean `xpid`'],
  ['attr:Orders', undefined, 'must be written'],
  ['attr:Orders:cuont', undefined, 'did you mean `count`'],
  ['attr:Orders:price', undefined, 'known are count, sum, minimum'],
  ['Orders', { Orders: 'attr:Orders:cuont' }, 'did you mean `count`'],
  ['atr:Orders:count', undefined, 'did you mean `attr:Orders:count`'],
  ['usr:tier', undefined, 'did you mean `user:tier`'],
  ['attr:Orders:count:key', undefined, 'takes no key'],
  ['attr:Orders:average:mean', undefined, 'takes the keys'],
  ['attr:"Orders:count', undefined, 'not closed'],
  ['identity:', undefined, 'must be written'],
  ['Customer', { Customer: 'identity:' }, 'must be written'],
  ['Customer', { Kunde: 'identity:customer_id' }, 'not in the header'],
])('refuses the column %s', (column, map, message) => {
  const { issues } = readHeader([column], map as Record<string, string> | undefined);
  expect(issues.map((issue) => issue.message).join()).toContain(message);
});

test('with a map, a column that it does not name is passed over, whatever it is called', () => {
  const header = ['Customer', 'constructor', '__proto__', 'toString'];
  const { columns, issues } = readHeader(header, { Customer: 'xpid' });
  expect(issues).toEqual([]);
  expect(columns).toEqual([{ kind: 'xpid' }, undefined, undefined, undefined]);
});

/** What is told of a row whose cells are the header's but for these. */
function told(cells: Partial<Record<string, string>>): string[] {
  const row = HEADER.map((title) => cells[title] ?? { xpid: '7', cutoff_date: '2024-01-31' }[title] ?? '');
  const checked = checkRow(table.value(row), createWireNames({}));
  if ('text' in checked) return [];
  return checked.issues.map((found) => table.issue(found, row)).map(({ path, message }) => `${path}: ${message}`);
}

test.each<[Partial<Record<string, string>>, string[]]>([
  [{ xpid: 'seven' }, ['xpid: must be an integer of at most 64 bits']],
  [{ xpid: '' }, ['xpid, identity:email: needs `xpid`, or `identities` with at least one identity']],
  [{ 'identity:email': 'x'.repeat(5000) }, ['identity:email: has 5000 characters']],
  [{ environment: 'prod' }, ['environment: must be `production` or `development`']],
  [{ 'attr:Orders:count': 'x' }, ['attr:Orders:count: must be a whole number from 0 on']],
  // The attributes before it are empty, so that it is the first of the body.
  [{ 'attr:"a:b":sum': 'x' }, ['attr:"a:b":sum: must be a number']],
  [{ 'attr:Avg:average:sum': '1', 'attr:Avg:average:count': '0' }, ['attr:Avg:average:count: must be a positive integer']],
  [{ 'attr:Avg:average:sum': '1' }, ['attr:Avg:average:count: is missing']],
  [{ 'attr:M:average': 'sum=1' }, ['attr:M:average: `count` is missing']],
  [{ 'attr:M:average': 'sum=1|count=2|x=3' }, ['attr:M:average: unknown field `x`']],
  [{ 'attr:P:most_frequent': 'red=1|blue=x' }, ['attr:P:most_frequent: `blue` must be a whole number from 0 on']],
  [{ 'attr:T:last_occurrence_timestamp': '2024-01-31' }, ['attr:T:last_occurrence_timestamp: must be a time in whole']],
  [{ 'attr:Orders:count': '1', cutoff_date: '2024-02-30' }, ['cutoff_date: must be a date of the calendar']],
  [{ xpid: 'x', 'attr:F:first_occurrence': 'x', 'attr:P:most_frequent': 'a' }, ['xpid: must', 'attr:P:most_frequent: `a` must']],
])('%j is told by its columns', (cells, issues) => {
  expect(told(cells)).toEqual(issues.map((issue) => expect.stringContaining(issue) as unknown));
}); // prettier-ignore

test('a column is told by its own name, not by the field that a map makes of it', () => {
  const header = [' Customer ', 'Bought'];
  const map = { Customer: 'identity:osa_id', Bought: 'attr:Orders:count' };
  // The header may hold the deployment's word for an identity.
  const names = createWireNames({ osa_id: 'ours_id' });
  const renamed = tableOf(header, { name: 'u.csv', defaults, map, toWire: (word) => names.toWire(word) });
  const cells = ['x'.repeat(5000), 'many'];
  const checked = checkRow(renamed.value(cells), names);
  expect('issues' in checked && checked.issues.map((found) => renamed.issue(found, cells).path)).toEqual([
    'Customer',
    'Bought',
  ]);
});

test('cells of Parquet that are lists and objects are told by their columns too', () => {
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
  const checked = checkRow(table.value(cells), createWireNames({}));
  const issues = 'issues' in checked ? checked.issues.map((found) => table.issue(found, cells)) : [];
  expect(issues).toEqual([
    { path: 'cutoff_date', message: 'must be a string, not a number; put it in quotes' },
    { path: 'attr:L:unique_list', message: '`[1]` must be a string, not empty' },
    { path: 'user:note', message: 'must be a string, not an object' },
  ]);
});

test('columns that a map leaves out are named, with the field that they are called like', () => {
  const header = ['Customer', 'Tier', 'e-mail', 'xpid', 'Cutoff Date', 'Customer Name', 'user:tier'];
  expect(readHeader(header, { Customer: 'identity:customer_id' }).passedOver).toEqual([
    { column: 'Tier', field: undefined },
    { column: 'e-mail', field: 'identity:email' },
    { column: 'xpid', field: 'xpid' },
    { column: 'Cutoff Date', field: 'cutoff_date' },
    // Another column holds what it is called like.
    { column: 'Customer Name', field: undefined },
    { column: 'user:tier', field: 'user:tier' },
  ]);
  expect(readHeader(header, undefined).passedOver).toEqual([]);
});
