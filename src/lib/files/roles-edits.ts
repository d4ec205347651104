// What has to be edited in a roles file so that it says what a manifest of the platform says.
import { CORE_TASK, type ManifestReply, type RoleReply, type TaskRef } from '../contract/roles.ts';
import { canonicalJson } from '../kernel/json.ts';

export interface ListEdits<T> {
  /** Indexes in the file. */
  dropped: Set<number>;
  added: T[];
}

export interface RoleEdits {
  role: RoleReply;
  /** New values; undefined takes the field out. */
  fields: Map<string, unknown>;
  tasks: ListEdits<TaskRef>;
}

export interface ManifestEdits {
  fields: Map<string, unknown>;
  roles: ListEdits<RoleReply>;
  /** By the role's index in the file: what is to be edited inside of those that stay. */
  inside: Map<number, RoleEdits>;
}

type Fields = Record<string, unknown>;

/**
 * Compares a roles file that was found valid with the manifest it shall say. Fields and stamps that the file does not
 * mention are not asked of it, nor the task that every role has; a bare task id says as much as a map.
 */
export function compareWithFile(file: Fields, manifest: ManifestReply): ManifestEdits {
  const items = file['roles'] as Fields[];
  const wanted = new Map(manifest.roles.map((role) => [role.role_id, role]));
  const edits: ManifestEdits = {
    fields: compareFields(file, manifest, ['roles', '$schema']),
    roles: { dropped: new Set(), added: [] },
    inside: new Map(),
  };
  // A top-level field that the platform gave up is not sent either; it does no harm where it stands.
  for (const [key, value] of edits.fields) if (value === undefined) edits.fields.delete(key);
  for (const [index, item] of items.entries()) {
    const id = String(item['role_id']);
    const role = wanted.get(id);
    wanted.delete(id);
    if (role === undefined) edits.roles.dropped.add(index);
    else {
      const inside = {
        role,
        fields: compareRoleFields(item, role),
        tasks: compareTasks(item['tasks'] as unknown[], role.tasks),
      };
      if (inside.fields.size + inside.tasks.dropped.size + inside.tasks.added.length > 0)
        edits.inside.set(index, inside);
    }
  }
  edits.roles.added.push(...wanted.values());
  return edits;
}

/** Whether the file already says it all. */
export function isEmpty({ fields, roles, inside }: ManifestEdits): boolean {
  return fields.size + inside.size + roles.dropped.size + roles.added.length === 0;
}

/** Whether only the stamps, or other fields beside the roles, have to be edited. */
export function leavesRoles({ roles, inside }: ManifestEdits): boolean {
  return inside.size + roles.dropped.size + roles.added.length === 0;
}

/** `{task_id: x}` as `x`; with further fields it stays a map. */
export function shortTask(task: TaskRef): string | TaskRef {
  return Object.keys(task).length === 1 ? task.task_id : task;
}

/** The role with its tasks as short as they can be, at the end. */
export function shortRole({ tasks, ...fields }: RoleReply): Record<string, unknown> {
  return { ...fields, tasks: tasks.map(shortTask) };
}

function compareRoleFields(item: Fields, role: RoleReply): Map<string, unknown> {
  const { name = null, description = null } = role;
  return compareFields({ name: null, description: null, ...item }, { ...role, name, description }, ['tasks']);
}

/** New values of those fields that the file has. */
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
    // What a map says besides the id has to be right; then it is written anew.
    if (role && compareFields(task, role, []).size === 0) missing.delete(id);
    else dropped.add(index);
  }
  return { dropped, added: [...missing.values()] };
}
