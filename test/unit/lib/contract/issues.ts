// Formats a schema's issues as readable lines.
import { explain, showPath } from '../../../../src/lib/contract/explain.ts';

/** Returns `path: message` for each issue, or an empty list for a valid value. */
export function issuesOf(schema: Parameters<typeof explain>[0], value: unknown): string[] {
  return explain(schema, value).map(({ path, message }) => `${showPath(path)}: ${message}`);
}

/** Puts the issues of each case first, as text for the test title. */
export function withIssuesFirst<T>(cases: [T, string[]][]): [string, T, string[]][] {
  return cases.map(([value, issues]) => [issues.join('; ').replace(/^: /, ''), value, issues]);
}
