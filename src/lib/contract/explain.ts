// Turns a schema's refusal into sentences a person can act on: which field, what is wrong with it.
import type { core, ZodMiniType } from 'zod/mini';

/** One refused place: the way to it and what is wrong there. */
export interface FieldIssue {
  path: (string | number)[];
  message: string;
}

/** Checks `value` against `schema`; an empty list means that it fits. */
export function explain(schema: ZodMiniType, value: unknown): FieldIssue[] {
  const result = schema.safeParse(value);
  return result.success ? [] : explainIssues(result.error.issues, value);
}

/** The same for issues that a `safeParse` already gave. */
export function explainIssues(issues: readonly core.$ZodIssue[], value: unknown): FieldIssue[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment));
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: [...path, key], message: `unknown field \`${key}\`` }));
    }
    return [{ path, message: sentence(issue, valueAt(value, path)) }];
  });
}

function sentence(issue: core.$ZodIssue, found: unknown): string {
  if (found === undefined && issue.code !== 'custom') return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${article(issue.expected)}, not ${kindOf(found)}${quoteHint(issue.expected, found)}`;
    case 'invalid_value':
      return `must be ${issue.values.map((allowed) => `\`${String(allowed)}\``).join(' or ')}`;
    case 'invalid_union':
      return 'has none of the allowed forms';
    default:
      return issue.message;
  }
}

function quoteHint(expected: string, found: unknown): string {
  return expected === 'string' && (typeof found === 'number' || typeof found === 'bigint' || typeof found === 'boolean')
    ? '; put it in quotes'
    : '';
}

function article(word: string): string {
  return `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word === 'array' ? 'list' : word}`.replace('an list', 'a list');
}

function kindOf(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return article(typeof value === 'bigint' ? 'number' : typeof value);
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, segment) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[segment] : undefined,
    value,
  );
}

/** `roles[3].tasks[0].task_id`: a path as it is shown. */
export function showPath(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, segment) =>
      typeof segment === 'number' ? `${text}[${segment}]` : text === '' ? segment : `${text}.${segment}`,
    '',
  );
}
