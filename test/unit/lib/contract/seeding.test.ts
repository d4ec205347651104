// Seeds: the form of each calculation type, its values, and the user's identities.
import { describe, expect, it } from 'vitest';
import {
  AttributeSeed,
  BulkSeed,
  CALCULATION_TYPES,
  type CalculationType,
  SingleSeed,
} from '../../../../src/lib/contract/seeding.ts';
import { Xpid } from '../../../../src/lib/contract/shared.ts';
import { issuesOf, withIssuesFirst } from './issues.ts';

const seeded = (type: string, seed: unknown, parts: object = {}): object => ({
  attribute_name: 'visits',
  calculation_type: type,
  cutoff_date: '2026-01-31',
  seed,
  ...parts,
});

const NUMERIC: CalculationType[] = ['sum', 'minimum', 'min', 'maximum', 'max'];
const TIMES: CalculationType[] = ['first_occurrence_timestamp', 'last_occurrence_timestamp'];
const ANYTHING: CalculationType[] = ['first_occurrence', 'last_occurrence'];
const LISTS: CalculationType[] = ['unique_list', 'unique_values_count'];

describe("a seed's value", () => {
  const numbers = [0, -1.5, 7n, '7', '-7.25', '1e3', '1.5E-10', '2e+2'];
  const wholeNumbers = [0, 7, 0n, 10n ** 19n - 1n, '0', '0012', '9'.repeat(19), 1e18];
  it.each<[CalculationType[], unknown[]]>([
    [NUMERIC, numbers],
    [['count'], wholeNumbers],
    [TIMES, wholeNumbers],
    [ANYTHING, [...numbers, '', 'a string']],
  ])('is accepted for each type in %j if it is valid', (types, values) => {
    for (const type of types) {
      for (const value of values) expect(issuesOf(AttributeSeed, seeded(type, { value }))).toEqual([]);
    }
  });

  const notNumbers = [Number.NaN, Infinity, true, null, {}, []];
  const notNumericTexts = ['', 'x', '1x', 'x1', '1.', '.5', '+1', '1e', '1e400', ' 1', '1e+', '--1', '1e1.5'];
  const notWholeNumbers = [
    -1,
    -1n,
    1.5,
    10n ** 19n,
    1e19,
    '-1',
    '1.5',
    '',
    'x',
    '1x',
    'x1',
    '1'.repeat(20),
    ...notNumbers,
  ];
  it.each<[CalculationType[], string, unknown[]]>([
    [NUMERIC, 'must be a number', [...notNumericTexts, ...notNumbers]],
    [['count'], 'must be a whole number, 0 or more', notWholeNumbers],
    [TIMES, 'must be a time in whole milliseconds since 1970', notWholeNumbers],
    [ANYTHING, 'must be a string or a number', notNumbers],
  ])('is rejected for each type in %j if it is invalid: %s', (types, message, values) => {
    for (const type of types) {
      for (const value of values) {
        expect([value, issuesOf(AttributeSeed, seeded(type, { value }))]).toEqual([value, [`seed.value: ${message}`]]);
      }
    }
  });
});

describe("a seed's pairs", () => {
  it('must be a sum and a count for an average', () => {
    const of = (pairs: object): string[] => issuesOf(AttributeSeed, seeded('average', { key_value_pairs: pairs }));
    expect(of({ sum: '-1.5', count: 1 })).toEqual([]);
    expect(of({})).toEqual(['seed.key_value_pairs.sum: is missing', 'seed.key_value_pairs.count: is missing']);
    expect(of({ sum: 'x', count: 0, mean: 1 })).toEqual([
      'seed.key_value_pairs.sum: must be a number',
      'seed.key_value_pairs.count: must be a positive integer',
      'seed.key_value_pairs.mean: unknown field `mean`',
    ]);
    expect(of({ sum: 1, count: '0' })).toEqual(['seed.key_value_pairs.count: must be a positive integer']);
    expect(of({ sum: 1, count: 0n })).toEqual(['seed.key_value_pairs.count: must be a positive integer']);
  });

  it('must be counts if the calculation type is most_frequent', () => {
    const of = (pairs: object): string[] =>
      issuesOf(AttributeSeed, seeded('most_frequent', { key_value_pairs: pairs }));
    expect(of({})).toEqual([]);
    expect(of({ red: 0, blue: '12', sum: 3n })).toEqual([]);
    expect(of({ red: -1, blue: 1, green: 'x' })).toEqual([
      'seed.key_value_pairs.red: must be a whole number, 0 or more',
      'seed.key_value_pairs.green: must be a whole number, 0 or more',
    ]);
  });
});

describe('a seed', () => {
  it('is accepted only in the form that its calculation type requires', () => {
    const forms = { value: 1, key_value_pairs: { sum: 1, count: 1 }, list: ['a'] };
    for (const type of CALCULATION_TYPES) {
      const form = LISTS.includes(type)
        ? 'list'
        : ['average', 'most_frequent'].includes(type)
          ? 'key_value_pairs'
          : 'value';
      for (const [given, content] of Object.entries(forms)) {
        const issues =
          given === form ? [] : [`seed: must contain only \`${form}\` for ${type}, but contains \`${given}\``];
        expect(issuesOf(AttributeSeed, seeded(type, { [given]: content }))).toEqual(issues);
      }
      expect(issuesOf(AttributeSeed, seeded(type, {}))).toEqual([
        `seed: must contain only \`${form}\` for ${type}, but contains nothing`,
      ]);
    }
    expect(issuesOf(AttributeSeed, seeded('sum', { list: [], value: 1 }))).toEqual([
      'seed: must contain only `value` for sum, but contains `value` and `list`',
    ]);
  });

  it.each(
    withIssuesFirst<object>([
      [{ cutoff_date: undefined }, ['cutoff_date: is missing']],
      [{ cutoff_date: '2026-02-30' }, ['cutoff_date: must be a valid date in the format yyyy-MM-dd']],
      [{ cutoff_date: '' }, ['cutoff_date: must be a valid date in the format yyyy-MM-dd']],
      [{ cutoff_date: undefined, cuttoff_date: 'x' }, ['cuttoff_date: must be a valid date in the format yyyy-MM-dd']],
      [{ cuttoff_date: '2026-01-31' }, ['cuttoff_date: duplicates `cutoff_date`; only one of them is allowed']],
      [{ attribute_name: '' }, ['attribute_name: is empty']],
      [{ seeds: {} }, ['seeds: unknown field `seeds`']],
    ]),
  )('is rejected: %s', (_issues, parts, issues) => {
    expect(issuesOf(AttributeSeed, seeded('sum', { value: 1 }, parts))).toEqual(issues);
  });

  it('is accepted with either spelling of the date field, which becomes `cutoff_date`', () => {
    const sent = { attribute_name: 'visits', calculation_type: 'sum', cutoff_date: '2026-01-31', seed: { value: 1 } };
    expect(AttributeSeed.parse(seeded('sum', { value: 1 }))).toEqual(sent);
    const doubled = { cutoff_date: undefined, cuttoff_date: '2026-01-31' };
    expect(AttributeSeed.parse(seeded('sum', { value: 1 }, doubled))).toEqual(sent);
  });
});

describe("a profile's id", () => {
  it.each<[unknown, unknown]>([
    [7, 7],
    [2n ** 63n - 1n, 2n ** 63n - 1n],
    ['7', 7],
    ['-7', -7],
    ['0', 0],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
  ])('is sent as an integer: %o becomes %s', (written, sent) => {
    expect(Xpid.parse(written)).toBe(sent);
  });

  it.each([
    '',
    'x',
    '07',
    '7x',
    'x7',
    ' 7',
    '1.5',
    '9223372036854775808',
    '-9223372036854775809',
    '-0',
    '+7',
    '1'.repeat(30),
    '--7',
    -0,
    1.5,
    2n ** 63n,
  ])('is rejected: %o', (written) => {
    expect(issuesOf(Xpid, written)).toEqual([': must be a signed 64-bit integer in plain digits, such as -42']);
  });
});

describe('one user', () => {
  const user = { environment: 'production', calculated_attributes: {} };

  it('is rejected if it has neither an id nor an identity', () => {
    const sentence = [': needs `xpid`, or `identities` with at least one identity'];
    expect(issuesOf(SingleSeed, { ...user, xpid: 0 })).toEqual([]);
    expect(issuesOf(SingleSeed, { ...user, xpid: 1, identities: {} })).toEqual([]);
    expect(issuesOf(SingleSeed, { ...user, identities: { email: 'a' } })).toEqual([]);
    expect(issuesOf(SingleSeed, user)).toEqual(sentence);
    expect(issuesOf(SingleSeed, { ...user, identities: {} })).toEqual(sentence);
    const environment = 'environment: must be `production` or `development`';
    expect(issuesOf(SingleSeed, { ...user, environment: 'test' })).toEqual([environment, ...sentence]);
    expect(issuesOf(SingleSeed, { ...user, identities: null })).toEqual([expect.stringMatching(/^identities: /)]);
  });

  it('is rejected if it has an invalid seed, with the path of the seed', () => {
    const calculated_attributes = { 7: [seeded('sum', { value: 1 }), seeded('sum', { value: 'x' })] };
    expect(issuesOf(SingleSeed, { ...user, xpid: 1, calculated_attributes })).toEqual([
      'calculated_attributes.7[1].seed.value: must be a number',
    ]);
    const user_attributes = { '': [], 7: [{ attribute_name: '', attribute_value: 1 }] };
    expect(issuesOf(SingleSeed, { ...user, xpid: 1, user_attributes }).sort()).toEqual([
      'user_attributes.7[0].attribute_name: is empty',
      'user_attributes.7[0].attribute_value: must be a string, not a number; put it in quotes',
      'user_attributes.: is empty',
    ]);
  });

  it('is accepted as the only user in a bulk body, which must not be empty', () => {
    expect(issuesOf(BulkSeed, [])).toEqual([': contains no user']);
    expect(issuesOf(BulkSeed, [{ ...user, xpid: 1 }])).toEqual([]);
  });
});
