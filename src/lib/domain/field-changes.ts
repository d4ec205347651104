// Differences between two definitions, field by field.
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
