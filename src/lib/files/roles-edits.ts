// Computes the edits that make a roles file match a manifest, and applies them to a JSON file.
import { CORE_TASK, type ManifestReply, type RoleReply, type TaskRef } from '../contract/roles.ts';
import { canonicalJson, parseJson, stringifyJson } from '../kernel/json.ts';
import { jsonSpan } from '../kernel/reading.ts';
import { TextEdits } from './text-edits.ts';

interface ListEdits<T> {
  /** Indexes of the removed items in the file's list. */
  dropped: Set<number>;
  added: T[];
}

export interface RoleEdits {
  role: RoleReply;
  /** New values. Undefined removes the field. */
  fields: Map<string, unknown>;
  tasks: ListEdits<TaskRef>;
}

export interface ManifestEdits {
  fields: Map<string, unknown>;
  roles: ListEdits<RoleReply>;
  /** Edits inside the remaining roles, by index in the file. */
  inside: Map<number, RoleEdits>;
}

type Fields = Record<string, unknown>;

/** The file may omit fields, stamps and `user:core`. A task id is equivalent to a map with only that id. */
export function compareWithFile(file: Fields, manifest: ManifestReply): ManifestEdits {
  const items = file['roles'] as Fields[];
  const wanted = new Map(manifest.roles.map((role) => [role.role_id, role]));
  const edits: ManifestEdits = {
    fields: compareFields(file, manifest, ['roles', '$schema']),
    roles: { dropped: new Set(), added: [] },
    inside: new Map(),
  };
  // A top-level field that the platform no longer returns may stay: it is never sent.
  for (const [key, value] of edits.fields) if (value === undefined) edits.fields.delete(key);
  for (const [index, item] of items.entries()) {
    const id = String(item['role_id']);
    const role = wanted.get(id);
    wanted.delete(id);
    if (role === undefined) edits.roles.dropped.add(index);
    else {
      const { name = null, description = null } = role;
      const wantedFields = { ...role, name, description };
      const fields = compareFields({ name: null, description: null, ...item }, wantedFields, ['tasks']);
      const tasks = compareTasks(item['tasks'] as unknown[], role.tasks);
      if (fields.size + tasks.dropped.size + tasks.added.length > 0) edits.inside.set(index, { role, fields, tasks });
    }
  }
  edits.roles.added.push(...wanted.values());
  return edits;
}

export function isEmpty({ fields, roles, inside }: ManifestEdits): boolean {
  return fields.size + inside.size + roles.dropped.size + roles.added.length === 0;
}

export function leavesRoles({ roles, inside }: ManifestEdits): boolean {
  return inside.size + roles.dropped.size + roles.added.length === 0;
}

/** Writes `{task_id: x}` as `x`. A task with other fields remains a map. */
export function shortTask(task: TaskRef): string | TaskRef {
  return Object.keys(task).length === 1 ? task.task_id : task;
}

/** Returns the role, with its tasks last and in short form. */
export function shortRole({ tasks, ...fields }: RoleReply): Record<string, unknown> {
  return { ...fields, tasks: tasks.map(shortTask) };
}

function compareFields(file: Fields, wanted: Fields, except: readonly string[]): Map<string, unknown> {
  const keys = Object.keys(file).filter((key) => !except.includes(key));
  const differing = keys.filter((key) => canonicalJson(file[key] ?? null) !== canonicalJson(own(wanted, key) ?? null));
  return new Map(differing.map((key) => [key, own(wanted, key)]));
}

function own(record: Fields, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function compareTasks(listed: readonly unknown[], wanted: readonly TaskRef[]): ListEdits<TaskRef> {
  const held = new Map(wanted.map((task) => [task.task_id, task]));
  const missing = new Map(held);
  missing.delete(CORE_TASK);
  const dropped = new Set<number>();
  for (const [index, item] of listed.entries()) {
    const task = typeof item === 'string' ? { task_id: item } : (item as TaskRef);
    const id = task.task_id;
    const role = id === CORE_TASK ? task : held.get(id);
    // A task is also rewritten if a field other than its id differs.
    if (role && compareFields(task, role, []).size === 0) missing.delete(id);
    else dropped.add(index);
  }
  return { dropped, added: [...missing.values()] };
}

/** Returns a JSON roles file's text, updated to match `manifest`. If only the stamps differ, no other byte changes. */
export function updateJson(text: string, manifest: ManifestReply): string {
  const file = parseJson(text) as Fields;
  const edits = compareWithFile(file, manifest);
  if (leavesRoles(edits)) return withFields(text, edits.fields);
  const roles = updateRoles(file['roles'] as Fields[], edits);
  const updated = { ...file, ...Object.fromEntries(edits.fields), roles };
  const { lineEnd } = new TextEdits(text);
  const written = stringifyJson(updated, indentOf(text)).replaceAll('\n', lineEnd);
  return text.endsWith('\n') ? `${written}${lineEnd}` : written;
}

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

/** Returns the indentation of the first inner line; undefined if the text has only one line. */
function indentOf(text: string): string | undefined {
  return /^\ufeff?\s*[{[][ \t]*\r?\n([ \t]+)/.exec(text)?.[1];
}
