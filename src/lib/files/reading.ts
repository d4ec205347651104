// Shared by the YAML and JSON readers: the value, the places of its parts, and problems.

/** The keys and indexes from the root to a value. */
export type ValuePath = readonly (string | number)[];

/** A reason why a text cannot be read as a document. */
export interface Problem {
  /** Index in the text. */
  offset: number;
  message: string;
  path?: ValuePath;
}

export interface DocumentReading {
  /** Valid only if there are no problems. */
  value: unknown;
  problems: Problem[];
  /** Index in the text of the value at `path`, of its key with `at: 'key'`, or of the nearest thing around it. */
  offsetOf(path: ValuePath, at?: 'key'): number;
}

/** Deeper nesting than any document has a use for. */
export const MAX_DEPTH = 100;

export const TOO_DEEP = `nested deeper than ${MAX_DEPTH} levels`;

/** The problem of a key, or undefined. `taken` has the keys of the same map. */
export function keyProblem(key: string, taken: { has(key: string): boolean }): string | undefined {
  if (key === '__proto__') return 'this key is not allowed';
  return taken.has(key) ? `duplicate key \`${key}\`` : undefined;
}

/** Characters that YAML 1.2 does not allow (section 5.1, "Character Set"). */
// eslint-disable-next-line no-control-regex -- finding control characters is the purpose
export const UNPRINTABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;
