// Checks a value against a schema, and turns issues into messages that name the field and the problem.
import type * as z from 'zod/mini';
import { didYouMean } from '../kernel/nearest.ts';
import { characterCount, series } from '../kernel/words.ts';
import type { Failure } from './failures.ts';

export interface FieldIssue {
  path: (string | number)[];
  message: string;
  /** Set if the field itself is the problem, not its value. */
  at?: 'key';
  isUnknown?: true;
  failure?: Failure;
}

/** Message for an issue whose schema has no message. */
const NO_MESSAGE = 'Invalid input';

/** Another library in the process may have set zod's language, which would replace our messages. */
const OWN_WORDS = { error: (): string => NO_MESSAGE };

export type Parsed<T> = { data: T; issues: [] } | { data: undefined; issues: FieldIssue[] };

/** Checks `value` against `schema`. All other code must call this function instead of the schema's own parser. */
export function parseWith<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): Parsed<z.infer<Schema>> {
  const { data, error } = schema.safeParse(value, OWN_WORDS);
  return error ? { data: undefined, issues: explainIssues(error.issues, value) } : { data, issues: [] };
}

/** Returns the issues of `value`; an empty list means that it is valid. */
export function explain(schema: z.ZodMiniType, value: unknown): FieldIssue[] {
  return parseWith(schema, value).issues;
}

function explainIssues(issues: readonly z.core.$ZodIssue[], value: unknown): FieldIssue[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment));
    const found = valueAt(value, path);
    const inside = (inner: readonly z.core.$ZodIssue[], of: unknown): FieldIssue[] =>
      explainIssues(inner, of).map((item) => ({ ...item, path: [...path, ...item.path] }));
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key): FieldIssue => {
          return { path: [...path, key], message: `unknown field \`${key}\``, at: 'key', isUnknown: true };
        });
      case 'invalid_key':
        // zod puts the key at the end of the path.
        return inside(issue.issues, path.at(-1)).map((item): FieldIssue => ({ ...item, at: 'key' }));
      case 'invalid_union': {
        const form = intendedForm(issue.errors);
        return form ? inside(form, found) : [{ path, message: unionSentence(issue, found) }];
      }
      case 'custom':
        // Our rules pass the other parts of an issue as parameters.
        return [{ ...(issue.params as Partial<FieldIssue>), path, message: issue.message }];
      default:
        return [{ path, message: sentence(issue, found) }];
    }
  });
}

/** If the outer type of exactly one union member fits the value, returns that member's issues. */
function intendedForm(forms: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const fitting = forms.filter((issues) => issues.every((issue) => issue.path.length > 0 || !isTypeIssue(issue)));
  return fitting.length === 1 ? fitting[0] : undefined;
}

function isTypeIssue(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_type' || issue.code === 'invalid_value';
}

function unionSentence(issue: z.core.$ZodIssueInvalidUnion, found: unknown): string {
  if (found === undefined) return 'is missing';
  if ('options' in issue && Array.isArray(issue.options)) return oneOf(issue.options, found);
  const wanted = issue.errors.map(([first]) => {
    if (first?.code === 'invalid_value') return series(quoted(first.values), 'or');
    return first?.code === 'invalid_type' && first.path.length === 0 ? typeName(first.expected) : undefined;
  });
  if (wanted.includes(undefined)) return 'does not match any allowed form';
  return `must be ${series([...new Set(wanted)] as string[], 'or')}`;
}

function sentence(issue: z.core.$ZodIssue, found: unknown): string {
  if (found === undefined) return 'is missing';
  if (issue.message !== NO_MESSAGE) return issue.message;
  switch (issue.code) {
    case 'invalid_type': {
      const wanted = `must be ${typeName(issue.expected)}`;
      const isNumber = ['int', 'number'].includes(issue.expected);
      // An integer that a double cannot represent was parsed as a bigint.
      if (isNumber && typeof found === 'bigint') return `must be at ${found < 0 ? 'least -' : 'most '}2^53`;
      const isOtherNumber = isNumber && typeof found === 'number';
      return isOtherNumber ? wanted : `${wanted}, not ${kindOf(found)}${quoteHint(issue.expected, found)}`;
    }
    case 'invalid_value':
      return oneOf(issue.values, found);
    case 'too_small':
      return boundSentence(issue.minimum, issue.inclusive === false ? 'more than' : 'at least', found);
    case 'too_big':
      return boundSentence(issue.maximum, issue.inclusive === false ? 'less than' : 'at most', found);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return issue.format === 'regex' ? `must match ${issue.pattern ?? 'a pattern'}` : `is not a valid ${issue.format}`;
    default:
      return issue.message;
  }
}

function boundSentence(bound: number | bigint, comparison: string, found: unknown): string {
  if (found === '') return 'is empty';
  const size = typeof found === 'string' ? characterCount(found) : Array.isArray(found) ? found.length : undefined;
  if (size === undefined) return `must be ${comparison} ${bound}`;
  const noun = `${typeof found === 'string' ? 'character' : 'item'}${size === 1 ? '' : 's'}`;
  const verb = `${Number(bound) === 1 ? 'is' : 'are'} ${/least|more/.test(comparison) ? 'needed' : 'allowed'}`;
  return `has ${size} ${noun}; ${comparison} ${bound} ${verb}`;
}

function oneOf(values: readonly unknown[], found: unknown): string {
  const sentence = `must be ${series(quoted(values), 'or')}`;
  return values.length > 1 && typeof found === 'string' ? sentence + didYouMean(found, values.map(String)) : sentence;
}

function quoted(values: readonly unknown[]): string[] {
  return values.map((value) => `\`${String(value)}\``);
}

function quoteHint(expected: string, found: unknown): string {
  return expected === 'string' && ['number', 'bigint', 'boolean'].includes(typeof found) ? '; put it in quotes' : '';
}

const TYPE_NAMES: Record<string, string> = {
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  int: 'a whole number',
  bigint: 'a number',
};

function typeName(expected: string): string {
  return TYPE_NAMES[expected] ?? `a ${expected}`;
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : typeName(Array.isArray(value) ? 'array' : typeof value);
}

export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, segment) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[segment] : undefined,
    value,
  );
}

/** Formats a path for display, such as `roles[3].tasks[0].task_id`. */
export function showPath(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, segment) =>
      typeof segment === 'number' ? `${text}[${segment}]` : text === '' ? segment : `${text}.${segment}`,
    '',
  );
}
