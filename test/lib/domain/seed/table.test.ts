// From the cells of a table to the body of a user.
import { expect, test } from 'vitest';
import { cellsOf } from '../../../../src/lib/domain/seed/csv-record.ts';
import { readHeader } from '../../../../src/lib/domain/seed/columns.ts';
import { tableOf } from '../../../../src/lib/domain/seed/csv-rows.ts';
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
