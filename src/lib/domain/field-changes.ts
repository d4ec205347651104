// Differences between two definitions, field by field, and the guards of the plans that make them.
import { canonicalJson, isRecord } from '../kernel/json.ts';

export interface FieldChange {
  from: unknown;
  to: unknown;
}

/** Changes by dotted path. A list counts as one field. */
export type FieldChanges = Record<string, FieldChange>;

/** Compares two values, objects field by field. A missing value counts as null, and a missing object as empty. */
export function changedFields(from: unknown, to: unknown, prefix = ''): FieldChanges {
  if ((isRecord(from) || from === undefined) && (isRecord(to) || to === undefined)) {
    const keys = [...new Set([...Object.keys(from ?? {}), ...Object.keys(to ?? {})])];
    return Object.assign(
      {},
      ...keys.map((key) => changedFields(from?.[key], to?.[key], prefix === '' ? key : `${prefix}.${key}`)),
    ) as FieldChanges;
  }
  if (canonicalJson(from ?? null) === canonicalJson(to ?? null)) return {};
  return { [prefix]: { from: from ?? null, to: to ?? null } };
}

export interface Refusal<Guard extends string> {
  guard: Guard;
  /** Flag that turns the guard off; absent for a guard that `--fail-on` turns on. */
  flag?: string;
  message: string;
  /** Text that a user at a terminal may type instead of passing the flag. */
  typed?: string;
}

/** The text to type is the id of the only object to delete or, for several objects, their number. */
export function refuseDeletions([id, ...others]: readonly string[], message: string): Refusal<'delete'>[] {
  if (id === undefined) return [];
  return [{ guard: 'delete', flag: '--allow-delete', message, typed: others.length ? String(others.length + 1) : id }];
}

/** If there are at least ten live objects, stops a plan that changes or deletes more than 30% of them. */
export function refuseMany(touched: number, live: number, objects: string): Refusal<'threshold'>[] {
  if (live < 10 || touched * 100 <= live * 30) return [];
  const message = `${touched} of ${live} ${objects} would be changed or deleted, more than 30%`;
  return [{ guard: 'threshold', flag: '--force', message }];
}
