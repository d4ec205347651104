// Reads JSON, and defines the result of the JSON and YAML readers: the value, the positions of its parts, and problems.
import { JsonError, parseJson } from './json.ts';
import { findSpot, type JsonSpot, locateJson } from './json-syntax.ts';

/** Keys and indexes that lead from the root to a value. */
export type ValuePath = readonly (string | number)[];

export interface Problem {
  offset: number;
  message: string;
  path?: ValuePath;
}

export interface DocumentReading {
  /** Valid only if there are no problems. */
  value: unknown;
  problems: Problem[];
  /** Returns the offset of the value at `path` (or its key, if `at` is `key`), or of the nearest enclosing value. */
  offsetOf(path: ValuePath, at?: 'key'): number;
}

/** Maximum nesting depth. No useful document is deeper. */
export const MAX_DEPTH = 100;

export const TOO_DEEP = `nested deeper than ${MAX_DEPTH} levels`;

/** Returns the problem with a key, or undefined. `taken` contains the other keys of the map. */
export function keyProblem(key: string, taken: { has(key: string): boolean }): string | undefined {
  if (key === '__proto__') return 'this key is not allowed';
  return taken.has(key) ? `duplicate key \`${key}\`` : undefined;
}

/** Characters that YAML 1.2 does not allow (section 5.1, "Character Set"). */
// eslint-disable-next-line no-control-regex -- finding control characters is the purpose
export const UNPRINTABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** Reads JSON (RFC 8259). A leading byte order mark is allowed. */
export function readJson(text: string): DocumentReading {
  let value: unknown;
  try {
    value = parseJson(text, Infinity, true);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const problem = { offset: error.offset ?? 0, message: error.message };
    return { value: undefined, problems: [problem], offsetOf: () => problem.offset };
  }
  const problems: Problem[] = [];
  const root = locateJson(text, (key, offset, members) => {
    const message = keyProblem(key, members);
    if (message !== undefined) problems.push({ offset, message });
  });
  const deep = problems.length === 0 ? tooDeep(root, 1) : undefined;
  if (deep) problems.push({ offset: deep.offset, message: TOO_DEEP });
  return { value, problems, offsetOf: (path, at) => findSpot(root, path, at).offset };
}

/** Returns the range of the value at `path` in JSON text. `to` is exclusive. */
export function jsonSpan(text: string, path: ValuePath): { from: number; to: number } {
  const { offset, end } = findSpot(locateJson(text), path);
  return { from: offset, to: end };
}

function tooDeep(spot: JsonSpot, depth: number): JsonSpot | undefined {
  const parts = spot.items ?? (spot.members && Array.from(spot.members.values(), ({ value }) => value));
  if (!parts || depth > MAX_DEPTH) return parts && spot;
  for (const part of parts) {
    const found = tooDeep(part, depth + 1);
    if (found) return found;
  }
  return undefined;
}
