// The body of a write: parsed, checked against the contract, refused in the area's own words.
import type { infer as Infer, ZodMiniType } from 'zod/mini';
import { explainIssues, type FieldIssue, showPath } from '../../contract/explain.ts';
import type { Failure } from '../../contract/failures.ts';
import { MOST_ISSUES } from '../../kernel/errors.ts';
import { type PlatformError, refusal } from './platform-error.ts';
import { parseBody } from './request-body.ts';

/** A refusal with the specification's sentence and, after it, what is wrong in this request. */
export function refuse({ status, message }: Failure, ...details: string[]): PlatformError {
  return refusal(status, details.length === 0 ? message : details.map((detail) => `${message}: ${detail}`));
}

/** Parses JSON; throws `failure` when it is none. */
export function readJson(body: Buffer, failure: Failure): unknown {
  return parseBody(body, (detail) => refuse(failure, detail));
}

/**
 * Checks a parsed body. Fields that the contract does not know are ignored (decision: D6). `judge` turns the issues
 * that are left, of which there is one at least, into the refusal that is thrown.
 */
export function acceptBody<Schema extends ZodMiniType>(
  schema: Schema,
  value: unknown,
  judge: (issues: FieldIssue[]) => PlatformError,
): Infer<Schema> {
  const first = schema.safeParse(value);
  if (first.success) return first.data;
  const unknown = first.error.issues.filter((issue) => issue.code === 'unrecognized_keys');
  if (unknown.length === 0) throw judge(explainIssues(first.error.issues, value));
  const known = structuredClone(value);
  for (const { path, keys } of unknown) for (const key of keys) removeAt(known, path, key);
  return acceptBody(schema, known, judge);
}

/**
 * Reads and checks a JSON body, refused by the sentence `invalid` whatever is wrong with it; `malformed` is that for what
 * is no JSON, where the area has one.
 */
export function acceptJson<Schema extends ZodMiniType>(
  schema: Schema,
  body: Buffer,
  invalid: Failure,
  malformed: Failure = invalid,
): Infer<Schema> {
  return acceptBody(schema, readJson(body, malformed), (issues) => refuse(invalid, ...sentences(issues)));
}

function removeAt(value: unknown, path: readonly PropertyKey[], key: string): void {
  const place = path.reduce<unknown>((inner, segment) => (inner as Record<PropertyKey, unknown>)[segment], value);
  Reflect.deleteProperty(place as object, key);
}

/** One sentence per issue: the place, then what is wrong there. */
export function sentences(issues: readonly FieldIssue[]): string[] {
  const listed = issues.slice(0, MOST_ISSUES);
  const told = listed.map(({ path, message }) => [showPath(path), message].filter((part) => part !== '').join(' '));
  return issues.length === listed.length ? told : [...told, `${issues.length - listed.length} more`];
}
