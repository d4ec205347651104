// The difference of two manifests: roles created, modified and deleted, matched by role_id.
import { CORE_TASK, type TaskRef } from '../../contract/roles.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { FieldChange } from '../field-changes.ts';
import { isEscalation } from './permissions.ts';
import { extraFields, type Role, rolesById, sameRole, taskIds } from './manifest.ts';

export interface RoleChanges {
  name?: FieldChange;
  description?: FieldChange;
  tasks?: { added: string[]; removed: string[] };
  /** Changes of fields that the specification does not know; those of a task as `tasks.<task_id>.<field>`. */
  [field: string]: FieldChange | { added: string[]; removed: string[] } | undefined;
}

export interface ModifiedRole {
  role_id: string;
  changes: RoleChanges;
  /** Gained tasks that escalate (see `isEscalation`). */
  escalations: string[];
}

export interface RolesDiff {
  created: Role[];
  modified: ModifiedRole[];
  deleted: Role[];
  /** Ids. */
  unchanged: string[];
  summary: { create: number; modify: number; delete: number; unchanged: number };
}

/** Lists the roles in the order of `to`, then of `from`. */
export function diffRoles(from: readonly Role[], to: readonly Role[]): RolesDiff {
  const before = rolesById(from);
  const after = rolesById(to);
  const created: Role[] = [];
  const modified: ModifiedRole[] = [];
  const unchanged: string[] = [];
  for (const role of after.values()) {
    const old = before.get(role.role_id);
    if (!old) created.push(role);
    else if (sameRole(old, role)) unchanged.push(role.role_id);
    else modified.push(compareRoles(old, role));
  }
  const deleted = [...before.values()].filter((role) => !after.has(role.role_id));
  const summary = {
    create: created.length,
    modify: modified.length,
    delete: deleted.length,
    unchanged: unchanged.length,
  };
  return { created, modified, deleted, unchanged, summary };
}

export function isEmptyDiff(diff: Pick<RolesDiff, 'summary'>): boolean {
  return diff.summary.create + diff.summary.modify + diff.summary.delete === 0;
}

/** Every gained task that escalates, with its role. */
export function escalationsOf(diff: Pick<RolesDiff, 'created' | 'modified'>): { role_id: string; task_id: string }[] {
  return [
    ...diff.created.map((role) => ({ ...role, escalations: taskIds(role).filter(isEscalation) })),
    ...diff.modified,
  ].flatMap(({ role_id, escalations }) => escalations.map((task_id) => ({ role_id, task_id })));
}

function compareRoles(old: Role, role: Role): ModifiedRole {
  const changes: RoleChanges = {};
  for (const key of ['name', 'description'] as const) compareField(old[key], role[key], key, changes);
  const had = tasksById(old);
  const has = tasksById(role);
  const added = [...has.keys()].filter((id) => !had.has(id)).sort();
  const removed = [...had.keys()].filter((id) => !has.has(id)).sort();
  if (added.length + removed.length > 0) changes.tasks = { added, removed };
  for (const [id, task] of has) compareFields(had.get(id) ?? task, task, `tasks.${id}.`, changes);
  compareFields(extraFields(old), extraFields(role), '', changes);
  return { role_id: role.role_id, changes, escalations: added.filter(isEscalation) };
}

function tasksById(role: Role): Map<string, TaskRef> {
  return new Map(role.tasks.filter((task) => task.task_id !== CORE_TASK).map((task) => [task.task_id, task]));
}

function compareFields(
  from: Record<string, unknown>,
  to: Record<string, unknown>,
  prefix: string,
  changes: RoleChanges,
): void {
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)]))
    compareField(from[key], to[key], `${prefix}${key}`, changes);
}

function compareField(from: unknown, to: unknown, name: string, changes: RoleChanges): void {
  if (canonicalJson(from) !== canonicalJson(to)) changes[name] = { from: from ?? null, to: to ?? null };
}
