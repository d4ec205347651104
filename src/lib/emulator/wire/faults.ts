// Injected faults: errors, delays and lost connections for matching requests.
import { METHODS } from 'node:http';
import * as z from 'zod/mini';
import { parseWith } from '../../contract/explain.ts';
import { messageRule, textWhere } from '../../contract/shared.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { parseDuration } from '../../kernel/timestamps.ts';
import type { StoredSettings } from '../base/db.ts';

const Delay = z.union([
  z.number().check(z.minimum(0, 'must not be negative')),
  textWhere((text) => (parseDuration(text) === undefined ? 'is not a duration such as 500ms or 2s' : undefined)),
]);

/** The type `Fault` in `embedding.ts`, which explains the fields. Needs at least one of `status`, `delay` and `drop`. */
export const Fault = z
  .strictObject({
    method: z.optional(
      textWhere((text) =>
        ['*', ...METHODS].includes(text.toUpperCase()) ? undefined : 'is not an HTTP method or `*`',
      ),
    ),
    /** The query and a trailing slash are ignored. */
    path: z.optional(z.string()),
    status: z.optional(
      z.int().check(z.minimum(200, 'must be from 200 to 599'), z.maximum(599, 'must be from 200 to 599')),
    ),
    retry_after: z.optional(z.union([z.number(), z.string()])),
    delay: z.optional(Delay),
    drop: z.optional(z.enum(['before', 'after'])),
    times: z.optional(z.int().check(z.minimum(1, 'must be at least 1'))),
    probability: z.optional(z.number().check(z.minimum(0, 'must be from 0 to 1'), z.maximum(1, 'must be from 0 to 1'))),
  })
  .check(
    messageRule(({ status, delay, drop }) =>
      (status ?? delay ?? drop) === undefined ? 'needs `status`, `delay` or `drop`' : undefined,
    ),
  );
export type Fault = z.infer<typeof Fault>;

const KEY = 'faults';

/** Opens the stored faults. `random` returns numbers that are uniformly distributed in [0, 1). */
export function openFaults(settings: StoredSettings, random: () => number) {
  // Another version may have stored faults that this one does not support.
  let faults = parseWith(z.array(Fault), settings.get(KEY) ?? []).data ?? [];

  function save(next: Fault[]): void {
    faults = next;
    settings.set(KEY, next);
  }

  return {
    add: (fault: Fault): void => save([...faults, fault]),
    /** Returns the faults that still apply, each with its remaining `times`. */
    list: (): Fault[] => faults,
    clear: (): void => save([]),
    /** Removes the first fault that equals this one. Returns false if there is none. */
    remove: (fault: Fault): boolean => {
      const at = faults.findIndex((other) => canonicalJson(other) === canonicalJson(fault));
      if (at !== -1) save(faults.toSpliced(at, 1));
      return at !== -1;
    },
    /** Returns the fault that applies to this request, if any, and decreases its remaining `times`. */
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

/** Returns how long a fault delays a request, in milliseconds. */
export function delayOf(fault: Fault): number {
  return typeof fault.delay === 'string' ? (parseDuration(fault.delay) ?? 0) : (fault.delay ?? 0);
}

function matches(fault: Fault, method: string, path: string): boolean {
  if (fault.method !== undefined && fault.method !== '*' && fault.method.toUpperCase() !== method) return false;
  if (fault.path === undefined || matchesPattern(fault.path, path)) return true;
  return matchesPattern(withoutSlash(fault.path), withoutSlash(path));
}

/** Does not use a regular expression, because a pattern with many stars could make it extremely slow. */
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
