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

/** Where a value stands in the text, and where its parts do. */
export interface Spot {
  offset: number;
  /** The offset behind it, where the reader tells that. */
  end?: number;
  items?: Spot[];
  members?: Map<string, { key: number; value: Spot }>;
}

/** The value at `path`, its key, or the nearest thing around it. */
export function findSpot(root: Spot, path: ValuePath, at?: 'key'): Spot {
  let spot = root;
  for (const [index, segment] of path.entries()) {
    const member = spot.members?.get(String(segment));
    if (member && at === 'key' && index === path.length - 1) return { offset: member.key };
    const inner = member?.value ?? (typeof segment === 'number' ? spot.items?.[segment] : undefined);
    if (!inner) break;
    spot = inner;
  }
  return spot;
}

/** Deeper nesting than any document has a use for. */
export const MAX_DEPTH = 100;

export const TOO_DEEP = `nested deeper than ${MAX_DEPTH} levels`;

/** Why a key is refused, or undefined for a good one. `taken` holds the keys of the same map. */
export function keyProblem(key: string, taken: { has(key: string): boolean }): string | undefined {
  if (key === '__proto__') return 'this key is not allowed';
  return taken.has(key) ? `the key \`${key}\` stands here a second time` : undefined;
}

/** What YAML 1.2 does not allow in a text (section 5.1, "Character Set"). */
// eslint-disable-next-line no-control-regex -- finding control characters is the purpose
export const UNPRINTABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;
