// What a schema says against a value, as people read it.
import { explain, showPath } from '../../../../src/lib/contract/explain.ts';

/** `path: sentence` for each issue; nothing for a value that is right. */
export function issuesOf(schema: Parameters<typeof explain>[0], value: unknown): string[] {
  return explain(schema, value).map(({ path, message }) => `${showPath(path)}: ${message}`);
}
