// Updates a JSON roles file and keeps its order, indentation and task form.
import type { ManifestReply, TaskRef } from '../contract/roles.ts';
import { parseJson, stringifyJson } from '../kernel/json.ts';
import { jsonSpan } from './json-document.ts';
import { compareWithFile, leavesRoles, type ManifestEdits, type RoleEdits, shortTask } from './roles-edits.ts';
import { TextEdits } from './text-edits.ts';

type Fields = Record<string, unknown>;

/** The text of a valid roles file with the content of `manifest`. If only stamps differ, no other byte changes. */
export function updateJson(text: string, manifest: ManifestReply): string {
  const file = parseJson(text) as Fields;
  const edits = compareWithFile(file, manifest);
  if (leavesRoles(edits)) return withFields(text, edits.fields);
  const updated = {
    ...file,
    ...Object.fromEntries(edits.fields),
    roles: updateRoles(file['roles'] as Fields[], edits),
  };
  const { lineEnd } = new TextEdits(text);
  const written = stringifyJson(updated, indentOf(text)).replaceAll('\n', lineEnd);
  return text.endsWith('\n') ? `${written}${lineEnd}` : written;
}

/** Replaces the values in the text itself. */
function withFields(text: string, fields: ReadonlyMap<string, unknown>): string {
  const edits = new TextEdits(text);
  for (const [key, value] of fields) {
    const { from, to } = jsonSpan(text, [key]);
    edits.replace(from, to, stringifyJson(value));
  }
  return edits.apply();
}

function updateRoles(items: readonly Fields[], { roles, inside }: ManifestEdits): Fields[] {
  const isBare = items.some((item) => (item['tasks'] as unknown[]).some((task) => typeof task === 'string'));
  const inForm = (tasks: readonly TaskRef[]): unknown[] => (isBare ? tasks.map(shortTask) : [...tasks]);
  const kept = items.flatMap((item, index) => {
    const edits = inside.get(index);
    if (roles.dropped.has(index)) return [];
    return edits ? [updateRole(item, edits, inForm)] : [item];
  });
  return [...kept, ...roles.added.map((role) => ({ ...role, tasks: inForm(role.tasks) }))];
}

function updateRole(item: Fields, edits: RoleEdits, inForm: (tasks: readonly TaskRef[]) => unknown[]): Fields {
  const { dropped, added } = edits.tasks;
  const tasks = [...(item['tasks'] as unknown[]).filter((_task, index) => !dropped.has(index)), ...inForm(added)];
  const fields = Object.entries<unknown>({ ...item, ...Object.fromEntries(edits.fields), tasks });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** The indentation of the first inner line; undefined for a text on one line. */
function indentOf(text: string): string | undefined {
  return /^\ufeff?\s*[{[][ \t]*\r?\n([ \t]+)/.exec(text)?.[1];
}
