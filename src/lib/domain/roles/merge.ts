// Three-way merge of manifests: applies the local edits made since the base to the live roles.
import { type TaskRef, CORE_TASK } from '../../contract/roles.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { type Role, rolesById, sameRole, type Manifest, sameContent, sameStamp } from './manifest.ts';
import { diffRoles, type RolesDiff } from './plan.ts';

/** Both sides changed the same field differently. `null` means that a side lacks the field. */
export interface MergeConflict {
  role_id: string;
  /** A field, `tasks.<task_id>.<field>`, or `role` if both created the role, or one deleted and the other changed it. */
  field: string;
  base: unknown;
  mine: unknown;
  theirs: unknown;
}

export interface MergeResult {
  roles: Role[];
  conflicts: MergeConflict[];
  /** Ids of roles that keep changes made on the platform since the base. */
  rebased: string[];
}

/** Applies the changes between `base` and `mine` to `theirs`. Tasks are merged as a set: both sides' changes apply. */
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

/** Resolves a conflict by setting its field to `value`. If the field is `role`, null removes the role. */
export function resolveConflict(
  roles: readonly Role[],
  { role_id, field }: Pick<MergeConflict, 'role_id' | 'field'>,
  value: unknown,
): Role[] {
  if (field === 'role') {
    const rest = roles.filter((role) => role.role_id !== role_id);
    if (value === null) return rest;
    if (rest.length === roles.length) return [...rest, value as Role];
    return roles.map((role) => (role.role_id === role_id ? (value as Role) : role));
  }
  return roles.map((role) => {
    if (role.role_id !== role_id) return role;
    const prefix = ({ task_id }: TaskRef): string => `tasks.${task_id}.`;
    if (!role.tasks.some((task) => field.startsWith(prefix(task)))) return { ...role, [field]: value };
    const tasks = role.tasks.map((task) =>
      field.startsWith(prefix(task)) ? { ...task, [field.slice(prefix(task).length)]: value } : task,
    );
    return { ...role, tasks };
  });
}

function mergeRole(
  id: string,
  base: Role | undefined,
  mine: Role | undefined,
  theirs: Role | undefined,
  { conflicts, rebased }: MergeResult,
): Role | undefined {
  if (same(mine, theirs)) return mine;
  if (same(base, mine)) {
    rebased.push(id);
    return theirs;
  }
  if (same(base, theirs)) return mine;
  if (!base || !mine || !theirs) {
    conflicts.push({ role_id: id, field: 'role', base: base ?? null, mine: mine ?? null, theirs: theirs ?? null });
    return mine ?? theirs;
  }
  const report: ReportConflict = (field, [was, own, other]) => {
    conflicts.push({ role_id: id, field, base: was ?? null, mine: own ?? null, theirs: other ?? null });
  };
  const fields = mergeFields([withoutTasks(base), withoutTasks(mine), withoutTasks(theirs)], report);
  const merged = { ...fields, role_id: id, tasks: mergeTasks([base.tasks, mine.tasks, theirs.tasks], report) };
  if (!same(merged, mine)) rebased.push(id);
  return merged;
}

type Sides<T> = readonly [was: T, own: T, other: T];
type ReportConflict = (field: string, sides: Sides<unknown>) => void;

function mergeFields([was, own, other]: Sides<Record<string, unknown>>, report: ReportConflict) {
  const merged: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(own), ...Object.keys(other)])) {
    let value = own[key];
    if (equal(was[key], own[key])) value = other[key];
    else if (!equal(was[key], other[key]) && !equal(own[key], other[key])) {
      report(key, [was[key], own[key], other[key]]);
    }
    if (value !== undefined) merged[key] = value;
  }
  return merged;
}

function mergeTasks(sides: Sides<readonly TaskRef[]>, report: ReportConflict): TaskRef[] {
  const [was, own, other] = sides.map((tasks) => new Map(tasks.map((task) => [task.task_id, task])));
  const merged: TaskRef[] = [];
  for (const id of new Set([...(own?.keys() ?? []), ...(other?.keys() ?? [])])) {
    const [before, mine, theirs] = [was?.get(id), own?.get(id), other?.get(id)];
    if (mine && theirs) {
      const conflict: ReportConflict = (field, values) => report(`tasks.${id}.${field}`, values);
      merged.push({ ...mergeFields([before ?? {}, mine, theirs], conflict), task_id: id });
    } else if (!before) merged.push(...[mine, theirs].filter((task) => task !== undefined));
  }
  // The platform adds this task to every role, so omitting it from a file does not remove it.
  const core = other?.get(CORE_TASK);
  if (!core || own?.has(CORE_TASK)) return merged;
  return [core, ...merged.filter((task) => task.task_id !== CORE_TASK)];
}

function withoutTasks({ tasks, ...fields }: Role): Record<string, unknown> {
  return fields;
}

function same(a: Role | undefined, b: Role | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameRole(a, b);
}

function equal(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

export interface WantedRoles extends MergeResult {
  /** True if either side may have caused the differences: the stamps differ, and the base is unknown. */
  stale: boolean;
  warnings?: string[];
  /** Roles file; absent for `roles edit`. */
  file?: string;
  /** Command that saves this push's plan again. */
  again?: string;
}

export function wantedRoles(file: Manifest, base: Manifest | undefined, live: Manifest): WantedRoles {
  if (base) {
    const known = rolesById(base.roles);
    const source = [...base.roles, ...live.roles.filter((role) => !known.has(role.role_id))];
    return { ...mergeRoles(base.roles, carryUnknownFields(file.roles, source), live.roles), stale: false };
  }
  const roles = carryUnknownFields(file.roles, live.roles);
  const stamped = file.last_modified_on !== null;
  const stale = stamped && !sameStamp(file, live) && !sameContent({ ...live, roles }, live);
  return { roles, conflicts: [], rebased: [], stale };
}

/**
 * Returns the candidate with the file's stamp. If several have it, prefers the most similar, then the oldest: if the
 * file is a copy of the newer one, a push of the same field stops with a conflict, but no change is lost.
 */
export function chooseBase(file: Manifest, candidates: readonly Manifest[]): Manifest | undefined {
  if (file.last_modified_on === null) return undefined;
  const measured = candidates
    .filter((candidate) => sameStamp(file, candidate))
    .toReversed()
    .map((candidate) => ({ candidate, distance: distanceOf(diffRoles(candidate.roles, file.roles)) }));
  return measured.sort((one, other) => one.distance - other.distance)[0]?.candidate;
}

/**
 * Returns the base of a file that keeps its old stamp after a push: its own content. The platform's other changes are
 * not part of it, because the next push would undo them. `withdrawn` are the roles that the file lacks but whose
 * deletion the user withdrew, so the next push plans the deletion again.
 */
export function baseOfPushed(file: Manifest, live: readonly Role[], withdrawn: readonly Role[]): Manifest {
  return { ...file, roles: [...carryUnknownFields(file.roles, live), ...withdrawn] };
}

/** Counts differing fields and tasks, not roles, so that the unedited fields of an edited role count too. */
function distanceOf({ created, deleted, modified }: RolesDiff): number {
  const edits = modified.flatMap(({ changes: { tasks, ...fields } }) => [
    ...Object.keys(fields),
    ...(tasks?.added ?? []),
    ...(tasks?.removed ?? []),
  ]);
  return [...created, ...deleted, ...edits].length;
}

/** Adds the fields of `source` that a role or task omits, because omitting an unknown field must not remove it. */
export function carryUnknownFields(roles: readonly Role[], source: readonly Role[]): Role[] {
  const held = rolesById(source);
  return roles.map((role) => {
    const same = held.get(role.role_id);
    if (!same) return role;
    const tasks = new Map(same.tasks.map((task) => [task.task_id, task]));
    return { ...same, ...role, tasks: role.tasks.map((task) => ({ ...tasks.get(task.task_id), ...task })) };
  });
}
