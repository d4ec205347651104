// Test rows: valid rows for every calculation type, and damaged rows.

import { checkRow, readRecord, type ReadRow, type RowRules } from '../../../../../src/lib/domain/seed/read-row.ts';
import { pick } from '../../../../helpers/random.ts';

/** Reads a row's text in the same way as the packer. */
export function readRow(text: string, rules: RowRules): ReadRow {
  const read = readRecord(text);
  return 'message' in read ? { issues: [{ path: [], message: read.message }] } : checkRow(read.value, rules);
}

const XPIDS = [
  '9223372036854775807',
  '-7201284209016359738',
  '0',
  '-1',
  '9199999999999999999',
  '5504331',
  '-9223372036854775808',
];
const TEXTS = ['plain', 'Ünïcödé ☃ 😀', 'quote " and \\ and / and \t tab', 'a:b|c=d', ' ', 'x'.repeat(300)];
const IDENTITIES = [
  'plain',
  'a+b@example.com',
  'für',
  'a:b|c=d',
  '1234567',
  '+49 30',
  'x'.repeat(300),
  '12 ',
  '1e+5',
  'quote " and ☃',
];
const NUMBERS = ['0', '17', '-4', '12.50', '"3"', '"-2.5"', '1e3', '9007199254740993', '-0', '0.1'];
const WHOLE_NUMBERS = ['0', '17', '"3"', '1709251200000', '9223372036854775807', '"0007"'];

const attribute = (type: string, seed: string, name: string, key = 'cutoff_date'): string =>
  `{"attribute_name":${JSON.stringify(name)},"calculation_type":"${type}","${key}":"2024-02-29","seed":${seed}}`;

/** Returns the text of a random valid row, sometimes in a spelling that needs exact parsing. */
export function makeRow(random: () => number): string {
  const text = (): string => JSON.stringify(pick(TEXTS, random));
  const types: [string, () => string][] = [
    ['count', () => `{"value":${pick(WHOLE_NUMBERS, random)}}`],
    ['sum', () => `{"value":${pick(NUMBERS, random)}}`],
    ['minimum', () => `{"value":${pick(NUMBERS, random)}}`],
    ['max', () => `{"value":${pick(NUMBERS, random)}}`],
    [
      'average',
      () => `{"key_value_pairs":{"sum":${pick(NUMBERS, random)},"count":${pick(['1', '"20"', '300'], random)}}}`,
    ],
    ['first_occurrence', () => `{"value":${random() < 0.5 ? text() : pick(NUMBERS, random)}}`],
    ['last_occurrence_timestamp', () => `{"value":${pick(WHOLE_NUMBERS, random)}}`],
    ['unique_list', () => `{"list":[${text()},${text()}]}`],
    ['unique_values_count', () => '{"list":[]}'],
    ['most_frequent', () => `{"key_value_pairs":{"red":${pick(WHOLE_NUMBERS, random)},"blue":2}}`],
  ];
  const attributes = Array.from({ length: 1 + Math.floor(random() * 4) }, (_, index) => {
    const [type, seed] = pick(types, random);
    return attribute(type, seed(), `attribute ${index}`, random() < 0.05 ? 'cuttoff_date' : undefined);
  });
  const space = random() < 0.2 ? ' ' : '';
  const fields = [
    `"environment":${space}"${pick(['production', 'development'], random)}"`,
    ...(random() < 0.6
      ? [`"xpid":${pick(XPIDS, random)}`]
      : [`"identities":{"email":${JSON.stringify(pick(IDENTITIES, random))},"customer_id":"c1"}`]),
    `"calculated_attributes":{"5001":[${attributes.join(`,${space}`)}]}`,
    ...(random() < 0.3 ? [`"user_attributes":{"5001":[{"attribute_name":"n","attribute_value":${text()}}]}`] : []),
  ];
  return `${random() < 0.02 ? '\ufeff' : ''}{${space}${fields.join(',')}${space}}`;
}

const FRAGMENTS = [
  '"', '{', '}', '[', ']', ',', ':', '\\', '\\u12', '\\u0041', '\n', '\u0000', ' ', '-', '0', '00', '1e400', '.5', '1.', 'null', 'true',
  '"xpid":1', '"xpid":1,', '"identities":{},', '"identities":{"email":"a"},', '"environment":"production",', '"a":1,', '"__proto__":1,',
  '"seed":{"value":1}', '"value":1,', '"list":[]', '"cuttoff_date":"2024-01-01",', '2023-02-29', '2024-13-01', '"sum"', '"count":0', '99999999999999999999',
  '9223372036854775808', '-0', '-9223372036854775809', 'average', 'sum', 'unique_list', 'é', '""', '"5001":[],', '"attribute_name":"",',
]; // prettier-ignore

/** Returns the first match of the global `pattern` at or after `at`. */
function firstFrom(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Removes, duplicates, inserts or replaces one to three random fragments of a row. */
export function damage(row: string, random: () => number): string {
  let text = row;
  for (let times = 1 + Math.floor(random() * 3); times > 0; times--) {
    const at = Math.floor(random() * text.length);
    const to = Math.min(text.length, at + Math.floor(random() * 12));
    switch (Math.floor(random() * 6)) {
      case 0:
        text = text.slice(0, at) + text.slice(to);
        break;
      case 1:
        text = text.slice(0, to) + text.slice(at);
        break;
      case 2:
        text = text.slice(0, at) + pick(FRAGMENTS, random) + text.slice(at);
        break;
      case 3: {
        // An insertion after punctuation is more likely to leave valid JSON.
        const joint = (firstFrom(/[,{[:]/g, text, at)?.index ?? at) + 1;
        text = text.slice(0, joint) + pick(FRAGMENTS, random) + text.slice(joint);
        break;
      }
      case 4: {
        const token = firstFrom(/"[^"]*"|-?\d+/g, text, at);
        if (token === null) break;
        text = text.slice(0, token.index) + pick(FRAGMENTS, random) + text.slice(token.index + token[0].length);
        break;
      }
      default:
        text = text.slice(0, at) + String.fromCharCode(32 + Math.floor(random() * 95)) + text.slice(at + 1);
    }
  }
  return text;
}
