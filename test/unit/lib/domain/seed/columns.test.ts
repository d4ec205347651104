// Tests which field each column of a header contains, and which headers are rejected.
import { describe, expect, it, test } from 'vitest';
import { readHeader } from '../../../../../src/lib/domain/seed/columns.ts';
import { createRowRules } from '../../../../../src/lib/domain/seed/read-row.ts';

const rules = createRowRules({ osa_id: 'apple_id' }, { identityType: ['a', 'a:b'] });

test.each([
  ['xpid', { kind: 'xpid' }],
  ['environment', { kind: 'environment' }],
  ['cutoff_date', { kind: 'cutoff_date' }],
  [' xpid ', { kind: 'xpid' }],
  ['identity:email', { kind: 'identity', type: 'email' }],
  ['identity:"a:b"', { kind: 'identity', type: 'a:b' }],
  ['identity:apple_id', { kind: 'identity', type: 'apple_id' }],
  ['user:note', { kind: 'user', name: 'note' }],
  ['user:"say ""no"""', { kind: 'user', name: 'say "no"' }],
  ['attr:Orders:count', { kind: 'attribute', name: 'Orders', type: 'count', key: undefined }],
  ['attr:"a:b":sum', { kind: 'attribute', name: 'a:b', type: 'sum', key: undefined }],
  ['attr:A:average', { kind: 'attribute', name: 'A', type: 'average', key: undefined }],
  ['attr:A:average:sum', { kind: 'attribute', name: 'A', type: 'average', key: 'sum' }],
  ['attr:A:average:count', { kind: 'attribute', name: 'A', type: 'average', key: 'count' }],
  ['attr:A:most_frequent:red', { kind: 'attribute', name: 'A', type: 'most_frequent', key: 'red' }],
  ['attr:A:most_frequent:"x:y"', { kind: 'attribute', name: 'A', type: 'most_frequent', key: 'x:y' }],
])('reads %s as %j', (title, column) => {
  const { columns, issues, skippedColumns } = readHeader(['identity:other', title], undefined, rules);
  expect([columns[1], issues, skippedColumns]).toEqual([column, [], []]);
});

const UNKNOWN =
  'is not a known column; valid columns are xpid, identity:<type>, attr:<name>:<calculation_type>[:<key>], user:<name>, environment, cutoff_date';
const ATTRIBUTE =
  'must have the form `attr:<name>:<calculation_type>[:<key>]`; put a name with a colon in double quotes';
test.each([
  ['', UNKNOWN],
  ['zzzzzzzz', UNKNOWN],
  ['zzzzzzzz:a', UNKNOWN],
  // A name without a colon is compared only with other names without one.
  ['usr', UNKNOWN],
  ['xpdi', 'is not a known column; did you mean `xpid`?'],
  ['usr:tier', 'is not a known column; did you mean `user:tier`?'],
  ['atr:Orders:count', 'is not a known column; did you mean `attr:Orders:count`?'],
  ['identity', 'must be written `identity:<type>`'],
  ['identity:', 'must be written `identity:<type>`'],
  ['identity:emial', 'unknown identity type `emial`; did you mean `email`? --identity-type emial allows it'],
  ['identity:zzzzzzzz', 'unknown identity type `zzzzzzzz`; --identity-type zzzzzzzz allows it'],
  ['identity:xpid', '`xpid` is not an identity type; it has its own field'],
  ['identity:a:b', 'must be written `identity:<type>`'],
  ['user', 'must be written `user:<name>`'],
  ['user:', 'must be written `user:<name>`'],
  ['user:a:b', 'must be written `user:<name>`'],
  ['attr', ATTRIBUTE],
  ['attr::count', ATTRIBUTE],
  ['attr:Orders', ATTRIBUTE],
  ['attr:A:most_frequent:a:b', ATTRIBUTE],
  ['attr:A:cuont', 'has an unknown calculation type `cuont`; did you mean `count`?'],
  [
    'attr:A:price',
    expect.stringMatching(/^has an unknown calculation type `price`; valid types are count, sum, minimum/),
  ],
  ['attr:A:', expect.stringMatching(/^has an unknown calculation type ``; valid types are count, sum, /)],
  ['attr:A:count:x', '`count` has no key'],
  ['attr:A:average:mean', '`average` needs a key: `sum` or `count`'],
  ['attr:"A:count', 'has an unclosed double quote'],
  ['attr:"a"b"c":count', 'has an unclosed double quote'],
  ['attr:"A"x:count', 'has an unclosed double quote'],
])('rejects %j: %s', (title, message) => {
  expect(readHeader(['xpid', title], undefined, rules).issues).toEqual([{ path: title || '(no name)', message }]);
});

const mapOf = (fields: Record<string, string>): Map<string, string> => new Map(Object.entries(fields));

describe('a header', () => {
  it('is rejected if two columns have the same meaning', () => {
    expect(readHeader(['xpid', 'identity:email', ' xpid', 'identity:"email"'], undefined, rules).issues).toEqual([
      { path: ' xpid', message: 'maps to the same field as the `xpid` column' },
      { path: 'identity:"email"', message: 'maps to the same field as the `identity:email` column' },
    ]);
  });

  it('is rejected because of a missing identity column only if it has no other issue', () => {
    const noIdentity = { path: '', message: 'there is no `xpid` or `identity:<type>` column' };
    expect(readHeader(['user:a', 'environment'], undefined, rules).issues).toEqual([noIdentity]);
    expect(readHeader(['a', 'b'], new Map(), rules).issues).toEqual([noIdentity]);
    expect(readHeader(['user:'], undefined, rules).issues).toHaveLength(1);
    expect(readHeader(['identity:a'], undefined, rules).issues).toEqual([]);
  });

  it('is rejected with the column name if a map target is invalid', () => {
    const map = mapOf({ Orders: 'attr:Orders:cuont', Customer: 'identity:', Mail: 'identity:email' });
    expect(readHeader([...map.keys()], map, rules).issues).toEqual([
      { path: 'Orders', message: expect.stringContaining('did you mean `count`?') as string },
      { path: 'Customer', message: expect.stringContaining('must be written `identity:<type>`') as string },
    ]);
  });

  it('is mapped by exact or trimmed column names', () => {
    const map = mapOf({ ' A ': 'xpid', B: 'user:b', Gone: 'user:c' });
    expect(readHeader([' A ', ' B', 'xpid'], map, rules)).toEqual({
      columns: [{ kind: 'xpid' }, { kind: 'user', name: 'b' }, undefined],
      issues: [{ path: 'Gone', message: 'is mapped, but the file does not have this column' }],
      // The map assigns this column's field to another column.
      skippedColumns: [{ column: 'xpid', field: undefined }],
    });
  });
});

describe('columns that a map omits', () => {
  it('are read if they are named after a field that no other column contains, unless the map ignores them', () => {
    const header = ['Id', 'xpid', ' user:tier ', 'environment', 'Note'];
    const { columns, issues, skippedColumns } = readHeader(header, mapOf({ Id: 'xpid', environment: '-' }), rules);
    expect(columns).toEqual([{ kind: 'xpid' }, undefined, { kind: 'user', name: 'tier' }, undefined, undefined]);
    expect(issues).toEqual([]);
    expect(skippedColumns.map(({ column }) => column)).toEqual(['xpid', 'Note']);
  });

  it('are not listed if they have no name and the source program writes an unnamed index column', () => {
    const { skippedColumns } = readHeader(['', 'Id'], mapOf({ Id: 'xpid' }), { ...rules, ignoresUnnamed: true });
    expect(skippedColumns).toEqual([]);
  });

  it('are listed with the field that their name resembles', () => {
    const header = ['Customer', 'Tier', 'e-mail', 'xpid', 'Cutoff Date', 'Customer Name', 'user:tier'];
    expect(readHeader(header, mapOf({ Customer: 'identity:customer_id' }), rules).skippedColumns).toEqual([
      { column: 'Tier', field: undefined },
      { column: 'e-mail', field: 'identity:email' },
      { column: 'Cutoff Date', field: 'cutoff_date' },
      // No field is suggested, because another column contains the matching field.
      { column: 'Customer Name', field: undefined },
    ]);
    expect(readHeader(header, undefined, rules).skippedColumns).toEqual([]);
  });

  it('are accepted even if they have the name of an Object.prototype property', () => {
    const { columns, issues } = readHeader(
      ['Customer', 'constructor', '__proto__', 'toString'],
      mapOf({ Customer: 'xpid' }),
      rules,
    );
    expect([columns, issues]).toEqual([[{ kind: 'xpid' }, undefined, undefined, undefined], []]);
  });

  it.each([
    [' XPID ', 'xpid'],
    ['Customer  -  Id', 'identity:customer_id'],
    [' E-Mail', 'identity:email'],
  ])('are listed with the field that they probably contain: %j contains %s', (column, field) => {
    const { skippedColumns } = readHeader(['Whom', column], mapOf({ Whom: 'identity:mobile_number' }), rules);
    expect(skippedColumns).toEqual([{ column: column.trim(), field }]);
  });

  it('are listed without a suggested field if no field has a similar name', () => {
    const { skippedColumns } = readHeader(['Whom', ' Tier '], mapOf({ Whom: 'identity:mobile_number' }), rules);
    expect(skippedColumns).toEqual([{ column: 'Tier', field: undefined }]);
  });

  it('do not include a column that the map assigns to an invalid field', () => {
    const { issues, skippedColumns } = readHeader([' A', 'B'], mapOf({ A: 'zzzzzzzz', B: 'xpid' }), rules);
    expect(issues.map(({ path }) => path)).toEqual([' A']);
    expect(skippedColumns).toEqual([]);
  });
});
