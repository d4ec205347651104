// A known shape never matches a row that exact parsing and validation reject.
import { expect, test } from 'vitest';
import { createRowRules } from '../../../../../src/lib/domain/seed/read-row.ts';
import { RowShapes } from '../../../../../src/lib/domain/seed/row-shapes.ts';
import { canonicalJson, parseJson } from '../../../../../src/lib/kernel/json.ts';
import { randomFrom } from '../../../../helpers/random.ts';
import { SEED } from '../../../../helpers/seed.ts';
import { damage, makeRow, readRow } from './rows.ts';
import { size } from '../../../../helpers/size.ts';

const rules = createRowRules({});

function matches(row: string, shapes: RowShapes): boolean {
  const bytes = Buffer.from(`${row}\n`);
  return shapes.matches(bytes, 0, bytes.length - 1);
}

/** Learns the shape of a row if exact parsing accepts it, as the packer does. */
function learn(row: string, shapes: RowShapes, own = rules): boolean {
  const bytes = Buffer.from(`${row}\n`);
  return 'text' in readRow(row, own) && shapes.learn(bytes, 0, bytes.length - 1);
}

function learned(...rows: string[]): RowShapes {
  const shapes = new RowShapes(rules);
  for (const row of rows) expect(learn(row, shapes), row).toBe(true);
  return shapes;
}

/** Fails if exact parsing rejects a row, or reads another value. */
function expectExact(row: string): void {
  const exact = readRow(row, rules);
  if ('issues' in exact) expect.fail(`accepted, but ${JSON.stringify(exact.issues)}: ${row}`);
  if (canonicalJson(parseJson(exact.text)) !== canonicalJson(parseJson(row))) expect.fail(`another value: ${row}`);
}

const ROWS = size(6_000_000, 10_000, 2400);

test('matches a damaged row only if exact parsing accepts it with the same value', () => {
  const random = randomFrom(SEED);
  const shapes = new RowShapes(rules);
  const counts = { matched: 0, unknown: 0, onlyExactly: 0, rejected: 0 };
  for (let index = 0; index < ROWS; index++) {
    const row = makeRow(random);
    const isLearned = learn(row, shapes);
    expect(matches(row, shapes), row).toBe(isLearned);
    if (isLearned) expectExact(row);
    const damaged = damage(row, random);
    const isExact = 'text' in readRow(damaged, rules);
    if (matches(damaged, shapes)) {
      counts.matched++;
      expectExact(damaged);
    } else if (isExact) counts[learn(damaged, new RowShapes(rules)) ? 'unknown' : 'onlyExactly']++;
    else counts.rejected++;
  }
  // The damage must leave enough rows of each kind for a meaningful comparison.
  expect(counts.matched).toBeGreaterThan(ROWS / 60);
  expect(counts.unknown).toBeGreaterThan(0);
  expect(counts.onlyExactly).toBeGreaterThan(ROWS / 120);
  expect(counts.rejected).toBeGreaterThan(ROWS / 3);
});

const seeds = (...typesAndSeeds: string[]): string => {
  const attributes = Array.from({ length: typesAndSeeds.length / 2 }, (_, index) => {
    const [type, seed] = typesAndSeeds.slice(index * 2);
    return `{"attribute_name":"n","calculation_type":"${type}","cutoff_date":"2024-10-09","seed":${seed}}`;
  });
  return `{"environment":"production","xpid":7,"calculated_attributes":{"1":[${attributes.join(',')}]}}`;
};

/** Valid rows that together contain every field that a row can have. */
const VALID = [
  '{"environment":"production","xpid":9199999999999999999,"calculated_attributes":{"1":[{"attribute_name":"a","calculation_type":"count","cutoff_date":"2024-02-29","seed":{"value":"5"}}]}}',
  '{"environment":"development","xpid":-7201284209016359738,"calculated_attributes":{}}',
  '{ "environment" : "production" , "identities" : { "email" : "a@b.c" } , "calculated_attributes" : { "1" : [ { "attribute_name" : "a" , "calculation_type" : "average" , "cutoff_date" : "2024-12-31" , "seed" : { "key_value_pairs" : { "count" : 2 , "sum" : 1.5 } } } ] } }',
  '{"calculated_attributes":{"1":[]},"identities":{"customer_id":"für"},"environment":"production","user_attributes":{"1":[{"attribute_value":"","attribute_name":"n"}]}}',
  seeds('sum', '{"value":-1.5}', 'most_frequent', '{"key_value_pairs":{"a":1,"b":"2"}}'),
  seeds('unique_list', '{"list":["a","b"]}', 'first_occurrence', '{"value":"x"}'),
];

test('matches the rows that it learned, and no row before', () => {
  for (const row of VALID) {
    expect(matches(row, new RowShapes(rules)), row).toBe(false);
    expect(matches(row, learned(row)), row).toBe(true);
  }
  const all = learned(...VALID);
  for (const row of VALID) expect(matches(row, all), row).toBe(true);
});

test('matches rows with other values', () => {
  const shapes = learned(...VALID);
  for (const [from, to] of [
    ['"value":"5"', '"value":"007"'],
    ['2024-02-29', '2000-02-29'],
    ['-7201284209016359738', '1'],
    ['"a@b.c"', '"für@example.com"'],
    ['"count" : 2', '"count" : "03"'],
    ['"attribute_value":""', '"attribute_value":"\\u00fc \\" \\n"'],
    ['"value":-1.5', '"value":"12.50"'],
    ['{"a":1,"b":"2"}', '{}'],
    ['["a","b"]', '[ "" , "c" ,"d"]'],
    ['"value":"x"', '"value":12'],
  ] as const) {
    const row = VALID.find((valid) => valid.includes(from))?.replace(from, to) ?? '';
    expectExact(row);
    expect(matches(row, shapes), row).toBe(true);
  }
});

test('matches many attributes and long names, but not an invalid value', () => {
  const attribute = '{"attribute_name":"n","calculation_type":"count","cutoff_date":"2024-10-09","seed":{"value":1}}';
  const empty = '{"environment":"production","xpid":7,"calculated_attributes":{"1":[]}}';
  const long = attribute.replace('"n"', JSON.stringify('n'.repeat(600)));
  const shapes = new RowShapes(rules);
  for (const attributes of [[long], Array<string>(70).fill(attribute), [attribute, long], [long, attribute]]) {
    const row = empty.replace('[]', `[${attributes.join(',')}]`);
    expect([learn(row, shapes), matches(row, shapes)]).toEqual([true, true]);
    expect(matches(row.replace('"value":1}', '"value":"x"}'), shapes)).toBe(false);
  }
});

const VALUE_ROW = VALID[0] ?? '';

test.each([
  ['number of workspaces', 100, (count: number): string => `w${count}`],
  ['amount of text', 2, (count: number): string => String(count).repeat(1_000_000)],
])('learns at most a limited %s', (_what, most, workspaceOf) => {
  const shapes = new RowShapes(rules);
  const row = (count: number): string => VALUE_ROW.replace('"1":[', `"${workspaceOf(count)}":[`);
  let count = 0;
  while (learn(row(count), shapes)) count++;
  expect(count).toBe(most);
  expect([0, count - 1, count].map((workspace) => matches(row(workspace), shapes))).toEqual([true, true, false]);
});

test('matches rows with other names and numbers of attributes, in another order', () => {
  const [count, sum, list] = [
    ['count', '{"value":1}'],
    ['sum', '{"value":1}'],
    ['unique_list', '{"list":[]}'],
  ] as const;
  const shapes = learned(seeds(...count, ...sum, ...list), seeds(...list, ...count));
  const joined = seeds('sum', '{"value":-1.5}', 'unique_list', '{"list":["a"]}', 'count', '{"value":2}').replace(
    '"n"',
    '"another name"',
  );
  for (const row of [joined, joined.replace('"another name"', '"\\u00e9"')]) {
    expectExact(row);
    expect(matches(row, shapes)).toBe(true);
  }
  for (const [from, to] of [
    ['"another name"', '""'],
    ['"value":2', '"value":-2'],
    ['"sum"', '"unique_list"'],
    ['},{', '{'],
    ['},{', '},,{'],
    ['}]}', '},]}'],
  ] as const) {
    expect(readRow(joined.replace(from, to), rules)).toHaveProperty('issues');
    expect(matches(joined.replace(from, to), shapes), to).toBe(false);
  }
});

test.each([
  ['identities', '"identities":{"email":"a"}', '"identities":{"customer_id":"a"}', '"identities":{}'],
  ['workspaces', '"xpid":7,"user_attributes":{"1":[]}', '"xpid":7,"user_attributes":{"2":[]}', '"xpid":7,"user_attributes":{"1":[],"1":[]}'],
])('distinguishes invalid %s from others', (_what, first, second, invalid) => {
  const row = (fields: string): string => VALUE_ROW.replace(/"xpid":\d+/, fields);
  const shapes = learned(row(first), row(second), row('"xpid":7,"identities":{}'));
  expect(readRow(row(invalid), rules)).toHaveProperty('issues');
  expect(matches(row(invalid), shapes)).toBe(false);
}); // prettier-ignore

test.each([
  ['the misspelled key of a date', 'cutoff_date', 'cuttoff_date'],
  ['a misspelled key with an escape', 'cutoff_date', 'cutto\\u0066f_date'],
  ['a byte order mark, which joined files have inside', '{"env', '\ufeff{"env'],
])('does not learn %s, which the exact check corrects', (_what, from, to) => {
  const row = VALUE_ROW.replace(from, to);
  expect(readRow(row, rules)).toEqual({ text: VALUE_ROW });
  expect(learn(row, new RowShapes(rules))).toBe(false);
});

/** Texts that replace a single byte. */
const REPLACEMENTS = ['', '{', '}', '[', ']', ',', ':', '"', '\\', '/', '-', '.', ' ', '0', '9', 'e', '_', '\u001f'];
/** Only one in this many changes is tested. The random seed selects them, so each commit tests different changes. */
const EACH = size(1, 15);
const FIRST = SEED % EACH;

test('matches a row with one byte removed or replaced only if it is still valid with the same value', () => {
  const shapes = learned(...VALID);
  let [tried, matched] = [0, 0];
  for (const valid of VALID) {
    for (let at = 0; at < valid.length; at++) {
      for (const [index, sign] of REPLACEMENTS.entries()) {
        if ((at + index) % EACH !== FIRST) continue;
        const row = `${valid.slice(0, at)}${sign}${valid.slice(at + 1)}`;
        tried++;
        if (!matches(row, shapes)) continue;
        matched++;
        expectExact(row);
      }
    }
  }
  expect(tried).toBeGreaterThan(20_000 / EACH);
  expect(matched).toBeGreaterThan(tried / 50);
});

test.each([
  [
    'a duplicate environment',
    '{"environment":"production","environment":"production","xpid":1,"calculated_attributes":{}}',
  ],
  ['a duplicate xpid', '{"environment":"production","xpid":7,"xpid":8,"calculated_attributes":{}}'],
  [
    'a duplicate xpid with one key escaped',
    '{"environment":"production","xpid":7,"x\\u0070id":8,"calculated_attributes":{}}',
  ],
  [
    'a duplicate identity',
    '{"environment":"production","identities":{"email":"a","email":"b"},"calculated_attributes":{}}',
  ],
  [
    'a duplicate identity with one key escaped',
    '{"environment":"production","identities":{"email":"a","em\\u0061il":"b"},"calculated_attributes":{}}',
  ],
  [
    'a duplicate value',
    '{"environment":"production","xpid":7,"calculated_attributes":{"1":[{"attribute_name":"a","calculation_type":"count","cutoff_date":"2026-01-01","seed":{"value":"3","value":"4"}}]}}',
  ],
  ['a duplicate workspace', '{"environment":"production","xpid":7,"calculated_attributes":{"1":[],"1":[]}}'],
  [
    'a duplicate pair',
    '{"environment":"production","xpid":7,"calculated_attributes":{"1":[{"attribute_name":"a","calculation_type":"most_frequent","cutoff_date":"2026-01-01","seed":{"key_value_pairs":{"x":"1","x":"2"}}}]}}',
  ],
  ['a row without an xpid or identities', '{"environment":"production","calculated_attributes":{}}'],
  ['empty identities', '{"environment":"production","identities":{},"calculated_attributes":{}}'],
  ['a row without attributes', '{"environment":"production","xpid":1}'],
  ['text after the row', '{"environment":"production","xpid":1,"calculated_attributes":{}}x'],
  ['a fraction as xpid', '{"environment":"production","xpid":1.5,"calculated_attributes":{}}'],
  [
    'an xpid above the signed 64-bit range',
    '{"environment":"production","xpid":9223372036854775808,"calculated_attributes":{}}',
  ],
  ['a negative zero as xpid', '{"environment":"production","xpid":-0,"calculated_attributes":{}}'],
])('does not match %s', (_what, row) => {
  const shapes = learned(...VALID, '{"environment":"production","xpid":1,"calculated_attributes":{}}');
  expect(readRow(row, rules)).toHaveProperty('issues');
  expect(matches(row, shapes)).toBe(false);
});

test('learns deployment-specific names, but not neutral names, which must be translated', () => {
  const words = createRowRules({ xpid: 'pid', 'osa_*': 'apple_', other: 'loyalty' });
  const shapes = new RowShapes(words);
  const deployed = '{"environment":"production","pid":-7201284209016359738,"calculated_attributes":{}}';
  const neutral = deployed.replace('pid', 'xpid');
  const identity = '{"environment":"production","identities":{"osa_id":"x"},"calculated_attributes":{}}';
  const rows = [
    deployed,
    neutral,
    ...['osa_id', 'other', 'loyalty', 'email', 'apple_id'].map((type) => identity.replace('osa_id', type)),
  ];
  const results = rows.map((row) => [learn(row, shapes, words), matches(row, shapes)]);
  expect(results.map(([isLearned]) => isLearned)).toEqual([true, false, false, false, true, true, true]);
  expect(results.map(([, isMatch]) => isMatch)).toEqual(results.map(([isLearned]) => isLearned));
  expect(readRow(neutral, words)).toEqual({ text: deployed });
  expect(readRow(identity, words)).toEqual({ text: identity.replace('osa_id', 'apple_id') });
});
