// Rules for the form and content of a seed, by calculation type (specification, E, the table of seeds).
import type { FieldIssue } from './explain.ts';
import { isCalendarDate } from './shared.ts';

export type SeedFormName = 'value' | 'key_value_pairs' | 'list';

type SeedRule =
  | { form: 'value'; holds: 'number' | 'whole-number' | 'milliseconds' | 'anything' }
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

const FORMS: readonly SeedFormName[] = ['value', 'key_value_pairs', 'list'];

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
  switch (rule.form) {
    case 'value':
      return valueIssues(rule.holds, seed.value);
    case 'list':
      return [];
    case 'key_value_pairs':
      return rule.pairs === 'average'
        ? averageIssues(seed.key_value_pairs ?? {})
        : countIssues(seed.key_value_pairs ?? {});
  }
}

function valueIssues(holds: (SeedRule & { form: 'value' })['holds'], value: unknown): FieldIssue[] {
  const path = ['seed', 'value'];
  switch (holds) {
    case 'number':
      return isNumeric(value) ? [] : [{ path, message: 'must be a number' }];
    case 'whole-number':
      return isWhole(value, 0) ? [] : [{ path, message: 'must be a whole number, 0 or more' }];
    case 'milliseconds':
      return isWhole(value, 0) ? [] : [{ path, message: 'must be a time in whole milliseconds since 1970' }];
    case 'anything':
      return typeof value === 'string' || isNumeric(value) ? [] : [{ path, message: 'must be a string or a number' }];
  }
}

function averageIssues(pairs: Record<string, unknown>): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const at = (key: string, message: string) => issues.push({ path: ['seed', 'key_value_pairs', key], message });
  if (!Object.hasOwn(pairs, 'sum')) at('sum', 'is missing');
  else if (!isNumeric(pairs['sum'])) at('sum', 'must be a number');
  if (!Object.hasOwn(pairs, 'count')) at('count', 'is missing');
  else if (!isWhole(pairs['count'], 1)) at('count', 'must be a positive integer');
  for (const key of Object.keys(pairs)) if (key !== 'sum' && key !== 'count') at(key, `unknown field \`${key}\``);
  return issues;
}

function countIssues(pairs: Record<string, unknown>): FieldIssue[] {
  return Object.entries(pairs)
    .filter(([, count]) => !isWhole(count, 0))
    .map(([key]) => ({ path: ['seed', 'key_value_pairs', key], message: 'must be a whole number, 0 or more' }));
}

const NUMERIC_TEXT = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const WHOLE_TEXT = /^\d{1,19}$/;

const whole = (minimum: number, pattern: string) => ({
  anyOf: [
    { type: 'integer', minimum, exclusiveMaximum: 1e19 },
    { type: 'string', pattern },
  ],
});
const NUMERIC = { anyOf: [{ type: 'number' }, { type: 'string', pattern: NUMERIC_TEXT.source }] };
const COUNT = whole(0, WHOLE_TEXT.source);
const SUM_AND_COUNT = { sum: NUMERIC, count: whole(1, '^0*[1-9]\\d*$') };

/** JSON Schema equivalents of the checks in this file. */
const CONTENT: Record<string, object> = {
  number: NUMERIC,
  'whole-number': COUNT,
  milliseconds: COUNT,
  anything: { type: ['string', 'number'] },
  counts: { type: 'object', additionalProperties: COUNT },
  average: {
    type: 'object',
    properties: SUM_AND_COUNT,
    required: ['sum', 'count'],
    propertyNames: { enum: ['sum', 'count'] },
  },
};

export function seedSchema(type: keyof typeof SEED_RULES): object {
  const rule: SeedRule = SEED_RULES[type];
  if (rule.form === 'list') return {};
  return { properties: { [rule.form]: CONTENT[rule.form === 'value' ? rule.holds : rule.pairs] } };
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
