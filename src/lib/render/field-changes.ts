// Shows the old and the new value of each changed field.
import type { FieldChange } from '../domain/field-changes.ts';
import { stringifyJson } from '../kernel/json.ts';
import { cleanLine as clean } from './clean.ts';
import type { Style } from './style.ts';

/** Returns lines such as `- name: "a"` and `+ name: "b"`, indented. A query can take several lines. */
export function fieldLines(changes: Readonly<Record<string, FieldChange | undefined>>, style: Style): string[] {
  return Object.entries(changes).flatMap(([field, change]) => {
    if (!change) return [];
    return [
      ...(change.from === null ? [] : valueLines(field, change.from, '-', style.red)),
      ...(change.to === null ? [] : valueLines(field, change.to, '+', style.green)),
    ];
  });
}

function valueLines(field: string, value: unknown, sign: string, paint: (text: string) => string): string[] {
  // The lines of a name or a description could look like other lines of the plan.
  if (typeof value === 'string' && field === 'config.sql_query' && value.trimEnd().includes('\n')) {
    const lines = value.trimEnd().split('\n');
    return [`${field}:`, ...lines.map((line) => `  ${line}`)].map((line) => paint(`    ${sign} ${clean(line)}`));
  }
  const text = typeof value === 'string' ? JSON.stringify(value) : stringifyJson(value);
  return [paint(`    ${sign} ${clean(field)}: ${clean(text)}`)];
}
