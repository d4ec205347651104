// Row spellings that are sent unchanged once their shape is known, and spellings that always need exact parsing.
import { describe, expect, it, test } from 'vitest';
import { createRowRules } from '../../../../../src/lib/domain/seed/read-row.ts';
import { RowShapes } from '../../../../../src/lib/domain/seed/row-shapes.ts';
import { readRow } from './rows.ts';

const rules = createRowRules({});

/** Reports whether a row between two others is sent unchanged: its shape is known, or can be learned. */
function passes(row: string, shapes = new RowShapes(rules)): boolean {
  const before = Buffer.byteLength('{"x":1}\n');
  const bytes = Buffer.from(`{"x":1}\n${row}\n{"y":2}\n`);
  const end = before + Buffer.byteLength(row);
  if (shapes.matches(bytes, before, end)) return true;
  const isLearned = 'text' in readRow(row, rules) && shapes.learn(bytes, before, end);
  expect(shapes.matches(bytes, before, end)).toBe(isLearned);
  return isLearned;
}

const HEAD = '"environment":"production","xpid":7';
const seedRow = (type: string, seed: string, date = '2024-02-29'): string =>
  `{${HEAD},"calculated_attributes":{"5001":[{"attribute_name":"a","calculation_type":"${type}","cutoff_date":"${date}","seed":${seed}}]}}`;
const digits = (count: number): string => '1234567890'.repeat(5).slice(0, count);
const pairs = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":${index}`).join(',')}}`;

const NUMBERS = ['0', '-0', '17', '-4.5', '12.50', '"3"', '"-2.5"', '"007"', '"-0.10"', digits(16), `"${digits(39)}"`];
const NOT_NUMBERS = [
  '',
  '-',
  '01',
  '-01',
  '1.',
  '.5',
  '"1."',
  '".5"',
  '""',
  '"-"',
  '"x"',
  '"1',
  '1e3',
  '1E3',
  '1.5e3',
  '"1e3"',
  '+1',
  '"+1"',
  'true',
  'null',
  '[]',
  digits(17),
  `"${digits(41)}"`,
  '" 1"',
  '"1 "',
  "'1'",
];
const WHOLE_NUMBERS = ['0', '17', '"3"', '"007"', '"0"', digits(18), `"${digits(18)}"`];
const NOT_WHOLE_NUMBERS = [
  '',
  '""',
  '-1',
  '"-1"',
  '1.5',
  '"1.5"',
  '01',
  '00',
  '1e3',
  '"x"',
  '"1',
  'null',
  digits(19),
  `"${digits(19)}"`,
];
const TEXTS = [
  '""',
  '"a"',
  '"\\u0041\\"\\\\\\/\\b\\f\\n\\r\\t"',
  '"\\uD83d\\uDe00"',
  '"\\u00aF"',
  '"Ünïcödé ☃ 😀"',
  '" "',
  '"\u007f"',
  '"{[,:]}"',
  `"${'x'.repeat(5000)}"`,
];
const NOT_TEXTS = [
  '',
  '"',
  '"a',
  'a',
  '"a\nb"',
  '"\u0000"',
  '"\u001f"',
  '"\\',
  '"\\x"',
  '"\\u12"',
  '"\\u12g4"',
  '"\\uGGGG"',
  '"\\u00/0"',
  '"\\u00:0"',
  '"\\u00`0"',
  '"\\u00g0"',
  '"\\U0041"',
  "'a'",
  'null',
];

describe.each<[string, (value: string) => string, string[], string[]]>([
  ['sum', (value) => `{"value":${value}}`, NUMBERS, NOT_NUMBERS],
  ['minimum', (value) => `{"value":${value}}`, ['-4.5'], ['"x"']],
  ['max', (value) => `{"value":${value}}`, ['-4.5'], ['"x"']],
  ['count', (value) => `{"value":${value}}`, WHOLE_NUMBERS, NOT_WHOLE_NUMBERS],
  ['last_occurrence_timestamp', (value) => `{"value":${value}}`, WHOLE_NUMBERS, NOT_WHOLE_NUMBERS],
  ['first_occurrence', (value) => `{"value":${value}}`, [...TEXTS, '17', '-4.5'], [...NOT_TEXTS, '1e3', '01']],
  ['unique_list', (value) => `{"list":[${value}]}`, ['', ' ', '"a"', '"a","b"', ' "a" , "b" ', ...TEXTS], ['1', '"a",', ',"a"', '"a" "b"', 'null', '["a"]', ...NOT_TEXTS.slice(1)]],
  ['unique_values_count', (value) => `{"list":[${value}]}`, ['', '"a"'], ['1']],
  ['unique_list', (value) => `{"list":${value}}`, ['[]'], ['', '{}', '"a"', '["a"', '["a"}', 'null']],
  ['most_frequent', (value) => `{"key_value_pairs":${value}}`, ['{}', '{ }', '{"a":1}', '{"a":"1","b":2}', '{ "a" : 1 , "b" : 2 }', '{"":1}', '{"_":1}', '{"a":1,"ab":2,"b":3}', pairs(16)], ['', '[]', '{"a"}', '{"a":}', '{"a":1,}', '{"a":1', '{"a":1]', '{"a":-1}', '{"a":1,"a":2}', '{"a":1,"b":2,"a":3}', '{"a" 1}', '{a:1}', '{"\\u0061":1}', '{"__a":1}', '{"a":1 "b":2}', '{"a\tb":1}', pairs(17)]],
  ['average', (value) => `{"key_value_pairs":${value}}`, ['{"sum":1,"count":2}', '{"count":2,"sum":-1.5}', '{ "sum" : "1.5" , "count" : "2" }', '{"sum":0,"count":"01"}'], ['{}', '{"sum":1}', '{"count":2}', '{"sum":1,"count":0}', '{"sum":1,"count":"00"}', '{"sum":1,"count":1.5}', '{"sum":"x","count":1}', '{"sum":1,"sum":2}', '{"sum":1,"count":2,"sum":3}', '{"sum":1,"count":2,"x":3}', '{"sum":1,"count":2,}', '{"sum":1,"count":2', '{"sum":1 "count":2}', '{"sum" 1,"count":2}', '["sum"]', '']],
])('a seed of the type %s', (type, form, passed, left) => {
  it('passes the fast check in its usual spellings, with or without extra spaces', () => {
    for (const value of passed) {
      for (const seed of [form(value), form(value).replace(/^\{/, '{ ').replace(/\}$/, ' }')]) {
        const shapes = new RowShapes(rules);
        expect([passes(seedRow(type, seed), shapes), passes(seedRow(type, seed), shapes)], seed).toEqual([true, true]);
        expect(readRow(seedRow(type, seed), rules), seed).toHaveProperty('text');
      }
    }
  });

  it('does not pass the fast check in other spellings, even right after a valid row', () => {
    for (const value of left) {
      const row = seedRow(type, form(value));
      expect(passes(row), row).toBe(false);
      // The check skips bytes that are the same as in the previous row.
      const shapes = new RowShapes(rules);
      expect(passes(seedRow(type, form(passed[0] ?? '')), shapes)).toBe(true);
      expect(passes(row, shapes), row).toBe(false);
    }
  });
}); // prettier-ignore

test.each([['}}'], [' }}'], ['} }'], [' }\t} ']])(
  'accepts a seed that ends with %j, even after another row',
  (tail) => {
    const usual = seedRow('count', '{"value":1}');
    const row = usual.replace('{"value":1}}', () => `{"value":1${tail}`);
    expect('text' in readRow(row, rules)).toBe(true);
    const shapes = new RowShapes(rules);
    expect([passes(row), passes(usual, shapes), passes(row, shapes)]).toEqual([true, true, true]);
  },
);

test.each([
  ['}]'],
  [']}'],
  ['} ]'],
  ['] }'],
  ['}'],
  [''],
  ['}x}'],
  ['x}}'],
  [',}}'],
  ['},}'],
  [',"value":2}}'],
  ['},"x":1}'],
  ['},"seed":{"value":1}}'],
  ['}1'],
])('does not accept a seed that ends with %j, even after another row', (tail) => {
  const usual = seedRow('count', '{"value":1}');
  const row = usual.replace('{"value":1}}', () => `{"value":1${tail}`);
  expect('text' in readRow(row, rules)).toBe(false);
  const shapes = new RowShapes(rules);
  expect([passes(row), passes(usual, shapes), passes(row, shapes)]).toEqual([false, true, false]);
});

test.each<[string, boolean, string[]]>([
  ['accepts valid', true, ['2024-02-29', '2000-02-29', '2024-12-31', '0001-01-01', '9999-04-30']],
  ['does not accept invalid', false, ['2023-02-29', '1900-02-29', '2024-00-10', '2024-13-01', '2024-04-31', '2024-01-00', '2024-01-32', '2024-1-01', '2024-01-1', '24-01-01', '2024/01/01', '2024-01/01', '20240-1-01', '2024-01-01T', 'abcd-01-01', '2024-0a-01', '2024-01-:1', '2024-01-/1', '']],
])('%s dates', (_what, isPassed, dates) => {
  for (const date of dates) {
    const row = seedRow('count', '{"value":1}', date);
    expect(passes(row), date).toBe(isPassed);
    expect('text' in readRow(row, rules), date).toBe(isPassed);
  }
}); // prettier-ignore

/** Returns a row with one attribute that has these fields, in this order. */
const withFields = (...fields: string[]): string => `{${HEAD},"calculated_attributes":{"1":[{${fields.join(',')}}]}}`;
const [NAME, TYPE, DATE, SEED] = ['"attribute_name":"a"', '"calculation_type":"count"', '"cutoff_date":"2024-02-29"', '"seed":{"value":1}'] as const; // prettier-ignore

test.each<[string[]]>([[[NAME, TYPE, DATE, SEED]], [[TYPE, SEED, DATE, NAME]], [[DATE, NAME, TYPE, SEED]]])(
  'accepts an attribute with the fields %j',
  (fields) => {
    expect(passes(withFields(...fields))).toBe(true);
  },
);

test.each<[string[]]>([
  // A seed that precedes its type cannot be checked in one pass.
  [[SEED, NAME, TYPE, DATE]],
  [[NAME, TYPE, SEED]],
  [[NAME, DATE, TYPE]],
  [[TYPE, DATE, SEED]],
  [[NAME, NAME, TYPE, DATE, SEED]],
  [[NAME, TYPE, TYPE, DATE, SEED]],
  [[NAME, TYPE, DATE, DATE, SEED]],
  [[NAME, TYPE, DATE, SEED, SEED]],
  [[NAME, TYPE, DATE, SEED, '"x":1']],
  [['"attribute_name":""', TYPE, DATE, SEED]],
  [['"attribute_name":1', TYPE, DATE, SEED]],
  [[NAME, '"calculation_type":"counts"', DATE, SEED]],
  [[NAME, '"calculation_type":"caunt"', DATE, SEED]],
  [[NAME, '"calculation_type":1', DATE, SEED]],
  [[NAME, '"calculation_type":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"', DATE, SEED]],
  [[NAME, TYPE, DATE, '"seed":{"list":[]}']],
  [[NAME, TYPE, DATE, '"seed":{"value":1,"value":2}']],
  [[NAME, TYPE, DATE, '"seed":{"value" 1}']],
  [[NAME, TYPE, DATE, '"seed":[1]']],
  [[NAME, TYPE, DATE, '"seed" {"value":1}']],
  [[NAME, TYPE, '"cutoff_date" "2024-02-29"', SEED]],
  [[NAME, '"calculation_type" "count"', DATE, SEED]],
  [['"attribute_name" "a"', TYPE, DATE, SEED]],
])('does not accept an attribute with the fields %j', (fields) => {
  expect(passes(withFields(...fields))).toBe(false);
});

describe('a row', () => {
  const ENVIRONMENT = '"environment":"production"';
  const XPID = '"xpid":7';
  const IDENTITIES = '"identities":{"email":"a"}';
  const ATTRIBUTES = '"calculated_attributes":{}';
  const OWN = '"user_attributes":{"1":[{"attribute_name":"n","attribute_value":"v"}]}';
  const all = [ENVIRONMENT, XPID, IDENTITIES, ATTRIBUTES, OWN];

  it.each<[string, string[]]>([
    ['passes', all],
    ['passes', all.toReversed()],
    ['passes', [ENVIRONMENT, XPID, ATTRIBUTES]],
    ['passes', [ENVIRONMENT, IDENTITIES, ATTRIBUTES]],
    ['passes', [ENVIRONMENT, XPID, '"identities":{}', ATTRIBUTES]],
    ['does not pass', [XPID, ATTRIBUTES]],
    ['does not pass', [ENVIRONMENT, ATTRIBUTES]],
    ['does not pass', [ENVIRONMENT, XPID]],
    ['does not pass', [ENVIRONMENT, '"identities":{}', ATTRIBUTES]],
    ...all.map((field): [string, string[]] => ['does not pass', [...all, field]]),
    ['does not pass', [...all, '"x":1']],
    ['does not pass', ['']],
    ...['"prod"', '"Production"', '"productio"', '1', 'null', '"production'].map((environment): [string, string[]] => {
      return ['does not pass', [`"environment":${environment}`, XPID, ATTRIBUTES]];
    }),
    ['passes', ['"environment":"development"', XPID, ATTRIBUTES]],
    ...['0', '-1', digits(18), `9${digits(18)}`, `-9${digits(18)}`, '-9199999999999999999'].map((id): [string, string[]] => {
      return ['passes', [ENVIRONMENT, `"xpid":${id}`, ATTRIBUTES]];
    }),
    ...['', '-', '-0', '00', '01', '-01', '1.0', '1e3', '"7"', 'null', digits(20), `-92${digits(17)}`].map((id): [string, string[]] => {
      return ['does not pass', [ENVIRONMENT, `"xpid":${id}`, ATTRIBUTES]];
    }),
    ...['{"email":"a","other":"b"}', '{ "email" : "a" , "other" : "b" }', `{"email":"${'x'.repeat(4096)}"}`, '{"email":"a b","other":"für"}', '{"other":"-12"}', '{"other":"a1.5"}'].map((of): [string, string[]] => {
      return ['passes', [ENVIRONMENT, `"identities":${of}`, ATTRIBUTES]];
    }),
    ...['', '[]', '{"email":""}', '{"email":1}', '{"email":"a",}', '{"email":"a","email":"b"}', '{"email" "a"}', '{"em\\u0061il":"a"}', '{"__proto__":"a"}', `{"email":"${'x'.repeat(4097)}"}`, '{"email":"a"', '{"email":"a"]', '{ }', '{"email":"\\u0041"}', '{"email":" a"}', '{"email":"a "}', '{"email":"a\u007f"}', '{"email":"a\u0085b"}', '{"email":"\ufeffa"}', '{"email":"a\u00a0"}', '{"other":"1.5"}', '{"other":"-1E+17"}', '{"other":"1,2e+17"}'].map((of): [string, string[]] => {
      return ['does not pass', [ENVIRONMENT, `"identities":${of}`, ATTRIBUTES]];
    }),
    ...['{"1":[]}', '{ "1" : [ ] }', '{ }', '{"main":[]}', '{"1":[],"2":[]}', '{"__x":[]}'].map((of): [string, string[]] => {
      return ['passes', [ENVIRONMENT, XPID, `"calculated_attributes":${of}`]];
    }),
    ...['', '[]', '{"":[]}', '{"1":{}}', '{"1":[}', '{"1":[]', '{"1" []}', '{"1":[],"1":[]}', '{"1":[],}', '{1:[]}', '{"__proto__":[]}', '{"1":[1]}', '{"1":[{}]}', '{"1":[]]'].map((of): [string, string[]] => {
      return ['does not pass', [ENVIRONMENT, XPID, `"calculated_attributes":${of}`]];
    }),
    ...['{}', '{"1":[]}', '{"1":[{"attribute_value":"","attribute_name":"n"}]}', '{"1":[ { "attribute_name" : "n" , "attribute_value" : "v" } , {"attribute_name":"m","attribute_value":"w"}]}'].map((of): [string, string[]] => {
      return ['passes', [ENVIRONMENT, XPID, ATTRIBUTES, `"user_attributes":${of}`]];
    }),
    ...['{"1":[{"attribute_name":"n"}]}', '{"1":[{"attribute_value":"v"}]}', '{"1":[{"attribute_name":"","attribute_value":"v"}]}', '{"1":[{"attribute_name":"n","attribute_value":1}]}', '{"1":[{"attribute_name":"n","attribute_name":"m","attribute_value":"v"}]}', '{"1":[{"attribute_name":"n","attribute_value":"v","attribute_value":"w"}]}', '{"1":[{"attribute_name":"n","attribute_value":"v","x":1}]}', '{"1":[{"attribute_name":"n","attribute_value":"v",}]}', '{"1":[{"attribute_name":"n","attribute_value":"v"]}', '{"1":[{"attribute_name" "n","attribute_value":"v"}]}', '{"1":[["n"]]}'].map((of): [string, string[]] => {
      return ['does not pass', [ENVIRONMENT, XPID, ATTRIBUTES, `"user_attributes":${of}`]];
    }),
  ])('%s the fast check with the fields %j', (how, fields) => {
    expect(passes(`{${fields.join(',')}}`)).toBe(how === 'passes');
    const spaced = `{ ${fields.join(' ,\t')} }`;
    expect(passes(spaced)).toBe(how === 'passes');
  }); // prettier-ignore

  it.each(['', '{', '{}', HEAD, `{${HEAD},${ATTRIBUTES}`, `{${HEAD},${ATTRIBUTES},}`, `{${HEAD},${ATTRIBUTES}]`, `{${HEAD},${ATTRIBUTES}}x`, `[${HEAD},${ATTRIBUTES}]`, `{${HEAD} ${ATTRIBUTES}}`, `{"environment" "production","xpid":7,${ATTRIBUTES}}`, `{"environment":"production","xpid" 7,${ATTRIBUTES}}`, `{${HEAD},"calculated_attributes" {}}`, `{${ENVIRONMENT},"identities" {"email":"a"},${ATTRIBUTES}}`, `{${HEAD},${ATTRIBUTES},"user_attributes" {}}`])('does not pass the fast check if its text is %j', (row) => {
    expect(passes(row)).toBe(false);
  }); // prettier-ignore
});

test('checks rows independently, even if some of their attributes are equal', () => {
  const attribute = (name: string, value: string): string =>
    `{"attribute_name":"${name}","calculation_type":"count","cutoff_date":"2024-02-29","seed":{"value":${value}}}`;
  const row = (...attributes: string[]): string => `{${HEAD},"calculated_attributes":{"1":[${attributes.join(',')}]}}`;
  const shapes = new RowShapes(rules);
  const passesNext = (text: string): boolean => passes(text, shapes);
  for (let time = 0; time < 300; time++) {
    expect(passesNext(row(attribute(`a${time}`, '1'), attribute('b', String(time))))).toBe(true);
    expect(passesNext(row(attribute(`a${time}`, '-1'), attribute('b', '1')))).toBe(false);
    expect(passesNext(row(attribute('b', '1'), attribute('b', '"x"')))).toBe(false);
  }
  const many = Array.from({ length: 100 }, (_, index) => attribute(`n${index}`, '1'));
  expect([passesNext(row(...many)), passesNext(row(...many))]).toEqual([true, true]);
  expect(passesNext(row(...many.with(99, attribute('n99', 'x'))))).toBe(false);
  const long = attribute('x'.repeat(600), '1');
  expect([passesNext(row(long)), passesNext(row(long)), passesNext(row(long.replace(':1}', ':x}')))]).toEqual([
    true,
    true,
    false,
  ]);
});

/** Yields every string of at most `length` of the given characters. */
function* texts(characters: readonly string[], length: number): Generator<string> {
  yield '';
  if (length > 0) for (const text of texts(characters, length - 1)) for (const one of characters) yield one + text;
}

const NUMERALS = ['0', '1', '9', '-', '.', '"', 'e', ' '];
const LETTERS = ['a', '"', '\\', 'u', '0', 'F', '\u001f'];
const row = (type: string, seed: string): string => seedRow(type, `{${seed}}`);

it.each<[string, (token: string) => string, string[], number, RegExp]>([
  [
    'number',
    (token) => row('sum', `"value":${token}`),
    NUMERALS,
    5,
    /^ *(?:"-?\d+(?:\.\d+)?"|-?(?:0|[1-9]\d*)(?:\.\d+)?) *$/,
  ],
  ['whole number', (token) => row('count', `"value":${token}`), NUMERALS, 5, /^ *(?:"\d+"|0|[1-9]\d*) *$/],
  [
    'whole number from 1',
    (token) => row('average', `"key_value_pairs":{"sum":1,"count":${token}}`),
    NUMERALS,
    5,
    /^ *(?:"0*[1-9]\d*"|[1-9]\d*) *$/,
  ],
  [
    '64-bit integer',
    (token) => `{"environment":"production","xpid":${token},"calculated_attributes":{}}`,
    NUMERALS,
    5,
    /^ *(?:0|-?[1-9]\d*) *$/,
  ],
  [
    'string',
    (token) => row('unique_list', `"list":[${token}]`),
    LETTERS,
    6,
    /^$|^"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*"$/,
  ],
  [
    'key',
    (token) => row('most_frequent', `"key_value_pairs":{${token}:1}`),
    ['a', '_', '"', '\\', '\u001f'],
    6,
    /^"(?!__)[^"\\\u0000-\u001f]*"$/,
  ],
  [
    'list',
    (token) => row('unique_list', `"list":${token}`),
    ['[', ']', '"a"', ',', ' ', '\t'],
    6,
    /^\s*\[\s*(?:"a"(?:\s*,\s*"a")*\s*)?\]\s*$/,
  ],
])('accepts a %s only if it matches the pattern', (_what, rowOf, characters, length, form) => {
  const shapes = new RowShapes(rules);
  let accepted = 0;
  for (const token of texts(characters, length)) {
    const isAccepted = passes(rowOf(token), shapes);
    if (isAccepted) accepted++;
    if (isAccepted !== form.test(token)) expect.fail(`${JSON.stringify(token)}: ${isAccepted}`);
  }
  expect(accepted).toBeGreaterThan(0);
});

it("accepts an attribute's fields in every order with the type before the seed", () => {
  const shapes = new RowShapes(rules);
  const fields = [
    '"attribute_name":"a"',
    '"calculation_type":"sum"',
    '"cutoff_date":"2024-02-29"',
    '"seed":{"value":1}',
  ];
  const orders = (left: readonly string[]): string[][] =>
    left.length === 0
      ? [[]]
      : left.flatMap((one) => orders(left.filter((other) => other !== one)).map((rest) => [one, ...rest]));
  for (let time = 0; time < 2; time++) {
    for (const order of orders(fields)) {
      const isTyped = order.indexOf(fields[1] ?? '') < order.indexOf(fields[3] ?? '');
      expect(passes(`{${HEAD},"calculated_attributes":{"1":[{${order.join(',')}}]}}`, shapes), order.join()).toBe(
        isTyped,
      );
    }
  }
});

it('accepts a list in a row of more than a million bytes', () => {
  const list = (count: number): string => row('unique_list', `"list":[${'"",'.repeat(count)}""]`);
  expect(passes(list(1_000_000))).toBe(true);
});
