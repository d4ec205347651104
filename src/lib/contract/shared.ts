// Small schemas and predicates that several areas of the contract share.
import * as z from 'zod/mini';
import { isRecord } from '../kernel/json.ts';
import { isCalendarDay } from '../kernel/timestamps.ts';
import { characterCount } from '../kernel/words.ts';
import type { FieldIssue } from './explain.ts';

/** Returns a check that reports the issues from `issuesOf`, whose paths start at the checked value. */
export function rule<T>(issuesOf: (value: T) => readonly FieldIssue[], params?: Parameters<typeof z.check>[1]) {
  return z.check<T>(({ value, issues }) => {
    for (const { path, message, ...extra } of issuesOf(value)) {
      issues.push({ code: 'custom', path, message, input: value, params: extra });
    }
  }, params);
}

/** Like `rule`, for an object. It also runs if fields are missing or invalid, so that all problems are reported. */
export function fieldsRule<T>(issuesOf: (value: { [Field in keyof T]: unknown }) => readonly FieldIssue[]) {
  return rule<T>(issuesOf, { when: ({ value }) => isRecord(value) });
}

/** Returns a check that an object names its user: it has an `xpid`, or at least one identity in `field`. */
export function namesUser<T extends { xpid?: unknown }>(field: keyof T & string, message: string) {
  const isEmpty = (map: unknown) => map === undefined || (isRecord(map) && Object.keys(map).length === 0);
  return fieldsRule<T>((value) => (value.xpid === undefined && isEmpty(value[field]) ? [{ path: [], message }] : []));
}

/** Returns a check with one message, which is shown after the field's name. */
export function messageRule<T>(messageOf: (value: T) => string | undefined) {
  return rule<T>((value) => {
    const message = messageOf(value);
    return message === undefined ? [] : [{ path: [], message }];
  });
}

/** Returns a check that no two items of a list have the same value in this field. */
export function noDuplicates<const Field extends string>(field: Field) {
  return rule<readonly Record<Field, unknown>[]>((items) => {
    const first = new Map(items.map((item, index) => [item[field], index]).reverse() as [unknown, number][]);
    return items.flatMap(({ [field]: value }, index) =>
      first.get(value) === index ? [] : [{ path: [index, field], message: `\`${String(value)}\` is a duplicate` }],
    );
  });
}

/** JSON Schema keywords equivalent to a schema's check. The documents that `schema` prints contain them. */
export type Keywords = Readonly<Record<string, unknown>>;

/** Returns a JSON Schema that requires at least one of the fields, or one of the maps with at least one entry. */
export function oneFieldOf(fields: readonly string[], maps: readonly string[]): Keywords {
  const filled = maps.map((name) => ({
    required: [name],
    properties: { [name]: { type: 'object', minProperties: 1 } },
  }));
  return { anyOf: [...fields.map((name) => ({ required: [name] })), ...filled] };
}

export function textWhere(messageOf: (text: string) => string | undefined, keywords: Keywords = {}) {
  return z.string().check(messageRule(messageOf)).register(z.globalRegistry, keywords);
}

/** Returns the schema of an enumerated value in a response. Also allows values that the specification does not list. */
export function word(values: readonly string[]) {
  return z.nullish(z.string().register(z.globalRegistry, { enum: values }));
}

export function textOf(min: number, max: number) {
  return textWhere(
    (text) => {
      const length = characterCount(text);
      if (length >= min && length <= max) return undefined;
      const found = length === 0 ? 'is empty' : `has ${length} ${length === 1 ? 'character' : 'characters'}`;
      const bound = length < min ? `at least ${min} are needed` : `at most ${max} are allowed`;
      return length === 0 && min === 1 ? found : `${found}; ${bound}`;
    },
    { minLength: min, maxLength: max },
  );
}

export function hasControlCharacter(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- finding control characters is the purpose
  return /[\u0000-\u001f\u007f-\u009f]/.test(text);
}

function integerWhere(isValid: (value: number | bigint) => boolean, error: string) {
  return z.union([z.number(), z.bigint()]).check(z.refine(isValid, { error }));
}

/** An exact 64-bit integer on the wire: a number if it is a safe integer, otherwise a bigint. */
export const Integer = integerWhere(
  (value) => (typeof value === 'number' ? Number.isSafeInteger(value) : value >= -(2n ** 63n) && value < 2n ** 64n),
  'must be an integer of at most 64 bits',
);

const XPID_ISSUE = 'must be a signed 64-bit integer in plain digits, such as -42';

/** `-0` is not allowed, because JSON writes it as `0`. */
function isXpid(value: number | bigint): boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value;
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}

/** A profile's id as an integer. */
export const XpidInteger = integerWhere(isXpid, XPID_ISSUE);

/** Returns the reason why a string is not a valid profile id; undefined for a valid id. */
export function xpidTextIssue(text: string): string | undefined {
  if (/^(?:0|-?[1-9]\d{0,18})$/.test(text) && isXpid(BigInt(text))) return undefined;
  if (!/^-?\d{1,20}\.0*$/.test(text)) return XPID_ISSUE;
  return `must be an integer without a decimal point; ${PANDAS_INTEGERS}`;
}

export const PANDAS_INTEGERS =
  'pandas writes integers as `123.0` if a column has gaps: convert it with astype("Int64")';

/** A profile's id. A string of digits is also accepted, and is sent as an integer (decision: D27). */
export const Xpid = z.pipe(
  z
    .union([XpidInteger, z.string()])
    .check(messageRule((value) => (typeof value === 'string' ? xpidTextIssue(value) : undefined))),
  z.transform((value): number | bigint => {
    if (typeof value !== 'string') return value;
    return Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value);
  }),
);

export const ENVIRONMENTS = ['production', 'development'] as const;
export const Environment = z.enum(ENVIRONMENTS);

/** Maps identity types to values (E and F). Both are strings, and the list of types is open (decision: D27). */
export const Identities = z.record(z.string(), textOf(1, 4096));

/** Fields that the platform sets. Requests may send these fields back, but the platform ignores them. */
export const ignoredAuditFields = {
  created_on: z.optional(z.unknown()),
  created_by: z.optional(z.unknown()),
  last_modified_on: z.optional(z.unknown()),
  last_modified_by: z.optional(z.unknown()),
};

export const Time = z.nullish(z.string().register(z.globalRegistry, { format: 'date-time' }));

export const auditFields = {
  created_on: Time,
  created_by: z.nullish(z.string()),
  last_modified_on: Time,
  last_modified_by: z.nullish(z.string()),
};

const CALENDAR_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

export function isCalendarDate(text: string): boolean {
  const [, year, month, day] = CALENDAR_DATE.exec(text) ?? [];
  return year !== undefined && isCalendarDay(Number(year), Number(month), Number(day));
}
