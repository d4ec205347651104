// Three-way merge of manifests: my edits since the base, carried onto what the platform holds now.
import type { TaskRef } from '../../contract/roles.ts';
import { CORE_TASK } from '../../contract/roles.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { type Role, rolesById, sameRole } from './manifest.ts';

/** Two people changed the same thing differently. `null` stands for "not there". */
export interface MergeConflict {
  role_id: string;
  /** The field; `role` when one side deleted what the other changed, or both created it differently. */
  field: string;
  base: unknown;
  mine: unknown;
  theirs: unknown;
}

export interface MergeResult {
  roles: Role[];
  conflicts: MergeConflict[];
  /** Ids of roles where the platform's changes since the base were kept. */
  rebased: string[];
}

/**
 * Carries the difference base → mine onto theirs. Roles and fields that only one side changed are taken from that
 * side; tasks are a set, so gains and losses of both sides add up. The order is mine, then what only theirs has.
 */
export function mergeRoles(base: readonly Role[], mine: readonly Role[], theirs: readonly Role[]): MergeResult {
  const bases = rolesById(base);
  const ours = rolesById(mine);
  const others = rolesById(theirs);
  const result: MergeResult = { roles: [], conflicts: [], rebased: [] };
  for (const id of new Set([...ours.keys(), ...others.keys()])) {
    const role = mergeRole(id, bases.get(id), ours.get(id), others.get(id), result);
    if (role) result.roles.push(role);
  }
  return result;
}

function mergeRole(
  id: string,
  base: Role | undefined,
  mine: Role | undefined,
  theirs: Role | undefined,
  result: MergeResult,
): Role | undefined {
  if (same(mine, theirs)) return mine;
  if (same(base, mine)) {
    result.rebased.push(id);
    return theirs;
  }
  if (same(base, theirs)) return mine;
  if (!base || !mine || !theirs) {
    result.conflicts.push({
      role_id: id,
      field: 'role',
      base: base ?? null,
      mine: mine ?? null,
      theirs: theirs ?? null,
    });
    return mine ?? theirs;
  }
  result.rebased.push(id);
  return mergeFields(id, base, mine, theirs, result.conflicts);
}

function mergeFields(id: string, base: Role, mine: Role, theirs: Role, conflicts: MergeConflict[]): Role {
  const merged: Record<string, unknown> = {};
  const keys = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
  keys.delete('tasks');
  for (const key of keys) {
    const [was, own, other] = [base[key], mine[key], theirs[key]];
    let value = own;
    if (equal(was, own)) value = other;
    else if (!equal(was, other) && !equal(own, other)) {
      conflicts.push({ role_id: id, field: key, base: was ?? null, mine: own ?? null, theirs: other ?? null });
    }
    if (value !== undefined) merged[key] = value;
  }
  return { ...merged, role_id: id, tasks: mergeTasks(base.tasks, mine.tasks, theirs.tasks) };
}

function mergeTasks(base: readonly TaskRef[], mine: readonly TaskRef[], theirs: readonly TaskRef[]): TaskRef[] {
  const had = new Set(base.map((task) => task.task_id));
  const own = new Map(mine.map((task) => [task.task_id, task]));
  const other = new Map(theirs.map((task) => [task.task_id, task]));
  const kept = [...own.values()].filter((task) => other.has(task.task_id) || !had.has(task.task_id));
  const gained = [...other.values()].filter((task) => !own.has(task.task_id) && !had.has(task.task_id));
  const tasks = [...kept, ...gained];
  // The platform gives every role this task; a file without it means no loss.
  const core = other.get(CORE_TASK);
  return core && !tasks.some((task) => task.task_id === CORE_TASK) ? [core, ...tasks] : tasks;
}

function same(a: Role | undefined, b: Role | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameRole(a, b);
}

function equal(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
