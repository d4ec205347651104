// From the cells of a table to the body of a user.
import { expect, test } from 'vitest';
import { createWireNames } from '../../../../src/lib/contract/names.ts';
import { readHeader } from '../../../../src/lib/domain/seed/columns.ts';
import { tableOf } from '../../../../src/lib/domain/seed/csv-rows.ts';
import { checkRow, readRow } from '../../../../src/lib/domain/seed/read-row.ts';
import { canonicalJson, parseJson } from '../../../../src/lib/kernel/json.ts';
import { createRandom, pick } from './rows.ts';

const names = createWireNames({});
const HEADER = [
  'xpid', 'identity:email', 'attr:Orders:count', 'attr:"a:b":sum', 'attr:Avg:average:sum', 'attr:Avg:average:count', 'attr:M:average',
  'attr:F:first_occurrence', 'attr:T:last_occurrence_timestamp', 'attr:L:unique_list', 'attr:P:most_frequent', 'user:note', 'environment', 'cutoff_date',
]; // prettier-ignore
const defaults = { workspace: '5001', environment: 'production', cutoffDate: '2024-02-29' };
const table = tableOf(HEADER, { name: 'users.csv', defaults, map: undefined, toWire: (word) => word });

const CELLS = [
  '', '', '', '1', '12', '-5', '3.25', '007', '0', '9223372036854775807', '-7201284209016359738', '18446744073709551616', '1e5', 'a|b|c', 'a=1|b=2',
  'a=1|a=2', 'sum=1|count=2', 'count=0|sum=1', '__proto__=1', 'say "no" \\', 'ü☃', 'development', 'prod', '2024-02-30', '2023-01-31', ' 1', '\t', '=', '|',
]; // prettier-ignore

test('the quick way to a body and the exact one agree on 30,000 rows of any cells', () => {
  const random = createRandom(7);
  let quick = 0;
  for (let index = 0; index < 30_000; index++) {
    const cells = HEADER.map((_column, at) =>
      random() < 0.8 ? (['17', 'a@b.c', '1'][at] ?? '') : pick(random, CELLS),
    );
    const text = table.text(cells);
    const exact = checkRow(table.value(cells), names);
    if (text === undefined) continue;
    quick++;
    if ('issues' in exact) expect.fail(`made a body of ${JSON.stringify(cells)}: ${JSON.stringify(exact.issues)}`);
    const read = readRow(text, names);
    if ('issues' in read) expect.fail(`made a wrong body of ${JSON.stringify(cells)}: ${text}`);
    expect(canonicalJson(parseJson(text))).toBe(canonicalJson(parseJson(exact.text)));
  }
  expect(quick).toBeGreaterThan(1000);
});

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
  expect(parseJson(table.text(cells) ?? '')).toEqual({
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
