// What the readers of YAML and JSON give alike: the value, where its parts stand, and what is refused.

/** The way to a value: keys and indexes from the root. */
export type ValuePath = readonly (string | number)[];

/** Something that makes a text unreadable as a document. */
export interface Problem {
  /** Index in the text. */
  offset: number;
  message: string;
  path?: ValuePath;
}

export interface DocumentReading {
  /** Only to be used when there are no problems. */
  value: unknown;
  problems: Problem[];
  /** Index in the text of the value at `path`, of its key with `at: 'key'`, or of the nearest thing around it. */
  offsetOf(path: ValuePath, at?: 'key'): number;
}

/** Deeper nesting than any document has a use for. */
export const MAX_DEPTH = 100;

export const TOO_DEEP = `nested deeper than ${MAX_DEPTH} levels`;

/** Why a key is refused, or undefined for a good one. `taken` holds the keys of the same map. */
export function keyProblem(key: string, taken: { has(key: string): boolean }): string | undefined {
  if (key === '__proto__') return 'this key is not allowed';
  return taken.has(key) ? `the key \`${key}\` stands here a second time` : undefined;
}
