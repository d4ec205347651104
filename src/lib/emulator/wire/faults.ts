// Faults on demand: refusals, delays and lost connections for the requests that match.
import {
  array,
  check,
  enum as oneOf,
  int,
  type infer as Infer,
  maximum,
  minimum,
  number,
  optional,
  strictObject,
  string,
  union,
} from 'zod/mini';
import { parseDuration } from '../../kernel/timestamps.ts';
import type { StoredSettings } from '../base/settings.ts';

const Delay = union([
  number().check(minimum(0, 'must not be negative')),
  string().check(
    check((context) => {
      if (parseDuration(context.value) !== undefined) return;
      context.issues.push({ code: 'custom', message: 'is not a duration such as 500ms or 2s', input: context.value });
    }),
  ),
]);

/** What a fault is made of; at least one of `status`, `delay` and `drop` says what it does. */
export const Fault = strictObject({
  /** Any method when absent. */
  method: optional(string()),
  /** `*` stands for any characters; any path when absent. The query does not count, nor does a trailing slash. */
  path: optional(string()),
  /** Answer this, without processing the request. */
  status: optional(int().check(minimum(200, 'must be 200 to 599'), maximum(599, 'must be 200 to 599'))),
  /** The `Retry-After` header of that answer: seconds, or any text. */
  retry_after: optional(union([number(), string()])),
  /** Wait before anything else: milliseconds, or a duration such as `2s`. */
  delay: optional(Delay),
  /** Destroy the connection without an answer, before the request is processed or after it was. */
  drop: optional(oneOf(['before', 'after'])),
  /** How many requests it still befalls; all when absent. */
  times: optional(int().check(minimum(1, 'must be at least 1'))),
  /** The share of the matching requests that it befalls, 0 to 1. */
  probability: optional(number().check(minimum(0, 'must be 0 to 1'), maximum(1, 'must be 0 to 1'))),
}).check(
  check((context) => {
    const { status, delay, drop } = context.value;
    if (status !== undefined || delay !== undefined || drop !== undefined) return;
    context.issues.push({ code: 'custom', message: 'needs `status`, `delay` or `drop`', input: context.value });
  }),
);
export type Fault = Infer<typeof Fault>;

export type Faults = ReturnType<typeof openFaults>;

const KEY = 'faults';

/** Opens the faults that an earlier run left; `random` is uniform in [0, 1). */
export function openFaults(settings: StoredSettings, random: () => number) {
  let faults = array(Fault).parse(settings.get(KEY) ?? []);

  function save(next: Fault[]): void {
    faults = next;
    settings.set(KEY, next);
  }

  return {
    add: (fault: Fault): void => save([...faults, fault]),
    /** The faults that are still to befall something, with the `times` that are left of each. */
    list: (): Fault[] => faults,
    clear: (): void => save([]),
    /** The fault that befalls this request, counted; undefined when none does. */
    strike: (method: string, path: string): Fault | undefined => {
      if (faults.length === 0) return undefined;
      const struck = faults.find((fault) => matches(fault, method, path) && random() < (fault.probability ?? 1));
      if (struck?.times !== undefined) {
        const left = struck.times - 1;
        save(faults.flatMap((fault) => (fault !== struck ? [fault] : left > 0 ? [{ ...fault, times: left }] : [])));
      }
      return struck;
    },
  };
}

/** The wait of a fault in milliseconds. */
export function delayOf(fault: Fault): number {
  return typeof fault.delay === 'string' ? (parseDuration(fault.delay) ?? 0) : (fault.delay ?? 0);
}

function matches(fault: Fault, method: string, path: string): boolean {
  if (fault.method !== undefined && fault.method !== '*' && fault.method.toUpperCase() !== method) return false;
  return fault.path === undefined || matchesPattern(withoutSlash(fault.path), withoutSlash(path));
}

/** Matches piece by piece rather than by a regular expression, which a pattern of many stars could bring to a halt. */
function matchesPattern(pattern: string, text: string): boolean {
  const [head = '', ...pieces] = pattern.split('*');
  const tail = pieces.pop();
  if (tail === undefined) return pattern === text;
  if (!text.startsWith(head) || text.length < head.length + tail.length || !text.endsWith(tail)) return false;
  let position = head.length;
  const end = text.length - tail.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, position);
    if (found === -1 || found + piece.length > end) return false;
    position = found + piece.length;
  }
  return true;
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
