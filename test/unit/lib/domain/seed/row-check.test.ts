// The fast check of a seed row never accepts a row that exact parsing and validation reject.
import { expect, test } from 'vitest';
import { createRowRules } from '../../../../../src/lib/domain/seed/read-row.ts';
import { createRowCheck, type RowCheck } from '../../../../../src/lib/domain/seed/row-check.ts';
import { canonicalJson, parseJson } from '../../../../../src/lib/kernel/json.ts';
import { randomFrom } from '../../../../helpers/random.ts';
import { SEED } from '../../../../helpers/seed.ts';
import { damage, makeRow, readRow } from './rows.ts';
import { isWhole, size } from '../../../../helpers/size.ts';

const rules = createRowRules({});
const defaultCheck = createRowCheck(rules);

function passes(row: string, check = defaultCheck): boolean {
  const bytes = Buffer.from(`${row}\n`);
  return check(bytes, 0, bytes.length - 1);
}

/** Of the rows that fail the fast check, only one in this many is parsed, or all with `vitest --mode whole`. */
const PARSE_INTERVAL = isWhole ? 1 : 6;

const ROWS = size(6_000_000, 10_000, 2400);

test('accepts a damaged row only if exact parsing accepts it with the same value', () => {
  const random = randomFrom(SEED);
  const counts = { accepted: 0, left: 0, onlyExactly: 0, refused: 0 };
  for (let index = 0; index < ROWS; index++) {
    const row = damage(makeRow(random), random);
    const isAccepted = passes(row);
    if (!isAccepted && counts.left++ % PARSE_INTERVAL > 0) continue;
    const exact = readRow(row, rules);
    if (isAccepted) {
      counts.accepted++;
      if ('issues' in exact) expect.fail(`accepted, but ${JSON.stringify(exact.issues)}: ${row}`);
      if (canonicalJson(parseJson(exact.text)) !== canonicalJson(parseJson(row))) expect.fail(`another value: ${row}`);
    } else if ('text' in exact) {
      counts.onlyExactly++;
    } else counts.refused++;
  }
  // The damage must leave enough rows of each kind for a meaningful comparison.
  expect(counts.accepted).toBeGreaterThan(ROWS / 30);
  expect(counts.onlyExactly).toBeGreaterThan(ROWS / 120 / PARSE_INTERVAL);
  expect(counts.refused).toBeGreaterThan(ROWS / 3 / PARSE_INTERVAL);
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

test('accepts valid rows in their usual spelling', () => {
  for (const row of VALID) expect(passes(row), row).toBe(true);
});

test('accepts many attributes and long names in successive rows, but not an invalid value', () => {
  const check = createRowCheck(rules);
  const attribute = '{"attribute_name":"n","calculation_type":"count","cutoff_date":"2024-10-09","seed":{"value":1}}';
  const empty = '{"environment":"production","xpid":7,"calculated_attributes":{"1":[]}}';
  const long = attribute.replace('"n"', JSON.stringify('n'.repeat(600)));
  for (const attributes of [[long], Array<string>(70).fill(attribute), [attribute, long], [long, attribute]]) {
    const row = empty.replace('[]', `[${attributes.join(',')}]`);
    for (let turn = 0; turn < 3; turn++) expect(passes(row, check)).toBe(true);
    expect(passes(row.replace('"value":1}', '"value":"x"}'), check)).toBe(false);
  }
});

/** Texts that replace a single byte. */
const REPLACEMENTS = ['', '{', '}', '[', ']', ',', ':', '"', '\\', '/', '-', '.', ' ', '0', '9', 'e', '_', '\u001f'];
/** Only one in this many changes is tested. The random seed selects them, so each commit tests different changes. */
const EACH = size(1, 15);
const FIRST = SEED % EACH;

test('accepts a row with one byte removed or replaced only if it is still valid with the same value', () => {
  const fresh = (): RowCheck => createRowCheck(rules);
  let tried = 0;
  for (const valid of VALID) {
    // After checking the valid row, the fast check uses a shortcut for similar rows.
    const primed = fresh();
    for (let at = 0; at < valid.length; at++) {
      for (const [index, sign] of REPLACEMENTS.entries()) {
        if ((at + index) % EACH !== FIRST) continue;
        const row = `${valid.slice(0, at)}${sign}${valid.slice(at + 1)}`;
        expect(passes(valid, primed)).toBe(true);
        const [first, next] = [passes(row, fresh()), passes(row, primed)];
        if (first !== next) expect.fail(`passes ${first ? 'only at first' : 'only after others'}: ${row}`);
        tried++;
        if (!first) continue;
        const exact = readRow(row, rules);
        if ('issues' in exact) expect.fail(`accepted, but ${JSON.stringify(exact.issues)}: ${row}`);
        if (canonicalJson(parseJson(exact.text)) !== canonicalJson(parseJson(row)))
          expect.fail(`another value: ${row}`);
      }
    }
  }
  expect(tried).toBeGreaterThan(20_000 / EACH);
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
])('rejects %s', (_what, row) => {
  expect(passes(row)).toBe(false);
  expect(readRow(row, rules)).toHaveProperty('issues');
});

test('accepts deployment-specific names, but not neutral names, which must be translated', () => {
  const words = createRowRules({ xpid: 'pid', 'osa_*': 'apple_', other: 'loyalty' });
  const checkWords = createRowCheck(words);
  const deployed = '{"environment":"production","pid":-7201284209016359738,"calculated_attributes":{}}';
  const neutral = deployed.replace('pid', 'xpid');
  const identity = '{"environment":"production","identities":{"osa_id":"x"},"calculated_attributes":{}}';
  const accepts = (row: string): boolean => checkWords(Buffer.from(`${row}\n`), 0, Buffer.byteLength(row));
  expect([deployed, neutral, identity].map(accepts)).toEqual([true, false, false]);
  const types: [string, boolean][] = [
    ['other', false],
    ['loyalty', true],
    ['email', true],
    ['apple_id', true],
  ];
  for (const turn of ['first', 'again'])
    for (const [type, passing] of types)
      expect(accepts(identity.replace('osa_id', type)), `${type} ${turn}`).toBe(passing);
  expect(readRow(neutral, words)).toEqual({ text: deployed });
  expect(readRow(identity, words)).toEqual({ text: identity.replace('osa_id', 'apple_id') });
});
