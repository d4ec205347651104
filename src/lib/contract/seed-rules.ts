// Rules for the form and content of a seed, by calculation type (specification, E, the table of seeds).
import type { FieldIssue } from './explain.ts';
import { isCalendarDate } from './shared.ts';

type SeedRule =
  | { form: 'value'; holds: keyof typeof VALUES }
  | { form: 'list' }
  | { form: 'key_value_pairs'; pairs: 'average' | 'counts' };

const NUMBER: SeedRule = { form: 'value', holds: 'number' };
const ANYTHING: SeedRule = { form: 'value', holds: 'anything' };
const MILLISECONDS: SeedRule = { form: 'value', holds: 'milliseconds' };

export const SEED_RULES = {
  count: { form: 'value', holds: 'whole-number' },
  sum: NUMBER,
  minimum: NUMBER,
  min: NUMBER,
  maximum: NUMBER,
  max: NUMBER,
  average: { form: 'key_value_pairs', pairs: 'average' },
  first_occurrence: ANYTHING,
  last_occurrence: ANYTHING,
  first_occurrence_timestamp: MILLISECONDS,
  last_occurrence_timestamp: MILLISECONDS,
  unique_list: { form: 'list' },
  unique_values_count: { form: 'list' },
  most_frequent: { form: 'key_value_pairs', pairs: 'counts' },
} as const satisfies Record<string, SeedRule>;

interface Written {
  calculation_type: keyof typeof SEED_RULES;
  cutoff_date?: string | undefined;
  cuttoff_date?: string | undefined;
  seed: { value?: unknown; key_value_pairs?: Record<string, unknown> | undefined; list?: unknown };
}

const FORMS = ['value', 'key_value_pairs', 'list'] as const satisfies SeedRule['form'][];

export function seedIssues(written: Written): FieldIssue[] {
  return [...dateIssues(written), ...formIssues(written)];
}

function dateIssues({ cutoff_date, cuttoff_date }: Written): FieldIssue[] {
  const path = [cutoff_date === undefined && cuttoff_date !== undefined ? 'cuttoff_date' : 'cutoff_date'];
  const date = cutoff_date ?? cuttoff_date;
  if (date === undefined) return [{ path, message: 'is missing' }];
  if (cutoff_date !== undefined && cuttoff_date !== undefined) {
    return [{ path: ['cuttoff_date'], message: 'duplicates `cutoff_date`; only one of them is allowed' }];
  }
  return isCalendarDate(date) ? [] : [{ path, message: 'must be a valid date in the format yyyy-MM-dd' }];
}

function formIssues({ calculation_type: type, seed }: Written): FieldIssue[] {
  const rule: SeedRule = SEED_RULES[type];
  const given = FORMS.filter((form) => seed[form] !== undefined);
  if (given.length !== 1 || given[0] !== rule.form) {
    const found = given.length === 0 ? 'nothing' : given.map((form) => `\`${form}\``).join(' and ');
    return [{ path: ['seed'], message: `must contain only \`${rule.form}\` for ${type}, but contains ${found}` }];
  }
  if (rule.form === 'list') return [];
  if (rule.form === 'value') return contentIssues(VALUES[rule.holds], seed.value, ['seed', 'value']);
  const pairs = seed.key_value_pairs ?? {};
  const path = ['seed', 'key_value_pairs'];
  if (rule.pairs === 'counts') {
    return Object.entries(pairs).flatMap(([key, count]) =>
      contentIssues(VALUES['whole-number'], count, [...path, key]),
    );
  }
  const isKnown = (key: string): key is keyof typeof AVERAGE => Object.hasOwn(AVERAGE, key);
  const missing = Object.keys(AVERAGE).filter((key) => !Object.hasOwn(pairs, key));
  return [
    ...missing.map((key) => ({ path: [...path, key], message: 'is missing' })),
    ...Object.entries(pairs).flatMap(([key, value]): FieldIssue[] =>
      isKnown(key)
        ? contentIssues(AVERAGE[key], value, [...path, key])
        : [{ path: [...path, key], message: `unknown field \`${key}\`` }],
    ),
  ];
}

/** The check of a value, the message for an invalid one, and the equivalent JSON Schema. */
type Content = readonly [fits: (value: unknown) => boolean, message: string, schema: object];

function contentIssues([fits, message]: Content, value: unknown, path: string[]): FieldIssue[] {
  return fits(value) ? [] : [{ path, message }];
}

const NUMERIC_TEXT = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const WHOLE_TEXT = /^\d{1,19}$/;

const whole = (minimum: number, pattern: string) => ({
  anyOf: [
    { type: 'integer', minimum, exclusiveMaximum: 1e19 },
    { type: 'string', pattern },
  ],
});
const COUNT = whole(0, WHOLE_TEXT.source);
const NUMERIC = { anyOf: [{ type: 'number' }, { type: 'string', pattern: NUMERIC_TEXT.source }] };
const isCount = (value: unknown): boolean => isWhole(value, 0);

const VALUES: Record<'number' | 'whole-number' | 'milliseconds' | 'anything', Content> = {
  number: [isNumeric, 'must be a number', NUMERIC],
  'whole-number': [isCount, 'must be a whole number, 0 or more', COUNT],
  milliseconds: [isCount, 'must be a time in whole milliseconds since 1970', COUNT],
  anything: [
    (value) => typeof value === 'string' || isNumeric(value),
    'must be a string or a number',
    { type: ['string', 'number'] },
  ],
};
const AVERAGE = {
  sum: VALUES.number,
  count: [(value) => isWhole(value, 1), 'must be a positive integer', whole(1, '^0*[1-9]\\d*$')],
} as const satisfies Record<string, Content>;

const PAIRS = {
  counts: { type: 'object', additionalProperties: COUNT },
  average: {
    type: 'object',
    properties: { sum: AVERAGE.sum[2], count: AVERAGE.count[2] },
    required: ['sum', 'count'],
    propertyNames: { enum: ['sum', 'count'] },
  },
};

/** Returns the JSON Schema equivalent of the checks in this file. */
export function seedSchema(type: keyof typeof SEED_RULES): object {
  const rule: SeedRule = SEED_RULES[type];
  if (rule.form === 'list') return {};
  return { properties: { [rule.form]: rule.form === 'value' ? VALUES[rule.holds][2] : PAIRS[rule.pairs] } };
}

/** True for a number, or a string in the form of a number (decision: D27). */
function isNumeric(value: unknown): boolean {
  if (typeof value === 'string') return NUMERIC_TEXT.test(value) && Number.isFinite(Number(value));
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));
}

function isWhole(value: unknown, least: 0 | 1): boolean {
  if (typeof value === 'string') return WHOLE_TEXT.test(value) && BigInt(value) >= least;
  if (typeof value === 'bigint') return value >= least && value < 10n ** 19n;
  return Number.isInteger(value) && (value as number) >= least && (value as number) < 1e19;
}
