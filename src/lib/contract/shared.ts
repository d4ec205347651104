// Small schemas and predicates that several areas of the wire share.
import { bigint, check, enum as oneOf, number, pipe, record, refine, string, transform, union } from 'zod/mini';
import { isCalendarDay } from '../kernel/timestamps.ts';

/** Length as the specification counts it: characters, not UTF-16 units. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}

/** A string with which `issueOf` finds nothing wrong. What it says stands behind the field's name. */
export function textWhere(issueOf: (text: string) => string | undefined) {
  return string().check(
    check((context) => {
      const message = issueOf(context.value);
      if (message !== undefined) context.issues.push({ code: 'custom', message, input: context.value });
    }),
  );
}

/** A string of `min` to `max` characters. */
export function textOf(min: number, max: number) {
  return textWhere((text) => {
    const length = characterCount(text);
    if (length >= min && length <= max) return undefined;
    const found = length === 0 ? 'is empty' : `has ${length} ${length === 1 ? 'character' : 'characters'}`;
    const bound = length < min ? `at least ${min} are needed` : `at most ${max} are allowed`;
    return length === 0 && min === 1 ? found : `${found}; ${bound}`;
  });
}

/** A control character anywhere in the text (C0, DEL, C1). */
export function hasControlCharacter(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- finding control characters is the purpose
  return /[\u0000-\u001f\u007f-\u009f]/.test(text);
}

/** A 64-bit integer of the wire, exact: number while a double holds it, else bigint. */
export const Integer = union([number(), bigint()]).check(
  refine(
    (value) => (typeof value === 'number' ? Number.isSafeInteger(value) : value >= -(2n ** 63n) && value < 2n ** 64n),
    {
      error: 'must be an integer of at most 64 bits',
    },
  ),
);

const XPID_ISSUE = 'must be a signed 64-bit integer in plain digits, such as -42';

/** A profile's id as an integer. JSON would write `-0` as another text than it was given. */
export const XpidInteger = union([number(), bigint()]).check(
  refine(
    (value) =>
      typeof value === 'bigint'
        ? BigInt.asIntN(64, value) === value
        : Number.isSafeInteger(value) && !Object.is(value, -0),
    { error: XPID_ISSUE },
  ),
);

/** What is wrong with a text that must be a profile's id; undefined for one that is. */
export function xpidTextIssue(text: string): string | undefined {
  if (/^(?:0|-?[1-9]\d{0,18})$/.test(text) && XpidInteger.safeParse(BigInt(text)).success) return undefined;
  if (!/^-?\d{1,20}\.0*$/.test(text)) return XPID_ISSUE;
  return `must be an integer, not \`${text}\`; pandas writes integers so where a column has gaps: convert it with astype("Int64")`;
}

/** A profile's id. Also accepted as a text of digits, and sent as an integer (decision: D27). */
export const Xpid = pipe(
  union([XpidInteger, string()]).check(
    check((context) => {
      const message = typeof context.value === 'string' ? xpidTextIssue(context.value) : undefined;
      if (message !== undefined) context.issues.push({ code: 'custom', message, input: context.value });
    }),
  ),
  transform((value): number | bigint => {
    if (typeof value !== 'string') return value;
    return Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value);
  }),
);

/** Where a platform's data belong (E and F). */
export const Environment = oneOf(['production', 'development']);

/** Identity type to value (E and F). Both are texts; types are an open list (decision: D27). */
export const Identities = record(string(), textOf(1, 4096));

const CALENDAR_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Whether a text is a day that exists, written `yyyy-MM-dd`. */
export function isCalendarDate(text: string): boolean {
  const [, year, month, day] = CALENDAR_DATE.exec(text) ?? [];
  return year !== undefined && isCalendarDay(Number(year), Number(month), Number(day));
}
