// A roles manifest (live, desired or remembered), including fields that the specification does not define.
import { CORE_TASK, type ManifestReply, type RoleReply, type TaskRef } from '../../contract/roles.ts';
import { canonicalJson } from '../../kernel/json.ts';

/** A role, including unknown fields. Text fields may be null if the platform sent null. */
export type Role = RoleReply;

/** Time and author of a manifest's last write. Times are whole seconds, so two manifests may have the same stamp. */
export interface Stamp {
  last_modified_on: string | null;
  last_modified_by: string | null;
}

export interface Manifest extends Stamp {
  roles: Role[];
  /** Top-level fields that the specification does not define. */
  extra: Record<string, unknown>;
}

export interface ManifestScope {
  organization: string;
  address: string;
}

export function fromReply(reply: ManifestReply): Manifest {
  const { roles, last_modified_on, last_modified_by, ...extra } = reply;
  return { roles, last_modified_on: last_modified_on ?? null, last_modified_by: last_modified_by ?? null, extra };
}

export function toReply(manifest: Manifest): ManifestReply {
  const { roles, last_modified_on, last_modified_by, extra } = manifest;
  return { ...extra, last_modified_on, last_modified_by, roles };
}

/** Returns a role's task ids, each once, without `user:core`, which every role has. */
export function taskIds(role: Pick<Role, 'tasks'>): string[] {
  return [...new Set(role.tasks.map((task) => task.task_id))].filter((id) => id !== CORE_TASK);
}

export function extraFields(role: Role): Record<string, unknown> {
  const { role_id, name, description, tasks, ...extra } = role;
  return extra;
}

export function rolesById(roles: readonly Role[]): Map<string, Role> {
  return new Map(roles.map((role) => [role.role_id, role]));
}

/** Reports whether two roles are equal, ignoring task order, duplicate tasks and `user:core`. */
export function sameRole(a: Role, b: Role): boolean {
  return a === b || roleContent(a) === roleContent(b);
}

/** Confirms a PUT: reports whether two lists of roles agree in the fields that the specification defines. */
export function sameRoles(a: readonly Role[], b: readonly Role[]): boolean {
  const content = (roles: readonly Role[]): string => canonicalJson(roles.map(specifiedPart).map(roleContent).sort());
  return content(a) === content(b);
}

export function specifiedPart({ role_id, name = null, description = null, tasks }: Role): Role {
  return { role_id, name, description, tasks: tasks.map(({ task_id }) => ({ task_id })) };
}

/** Reports whether two manifests have the same roles and unknown fields, ignoring stamps and order. */
export function sameContent(a: Manifest, b: Manifest): boolean {
  return manifestContent(a) === manifestContent(b);
}

export function sameState(a: Manifest, b: Manifest): boolean {
  return sameStamp(a, b) && sameContent(a, b);
}

export function sameStamp(a: Stamp, b: Stamp): boolean {
  return a.last_modified_on === b.last_modified_on && a.last_modified_by === b.last_modified_by;
}

function manifestContent(manifest: Manifest): string {
  return canonicalJson({ extra: manifest.extra, roles: manifest.roles.map(roleContent).sort() });
}

/** Cached, because a push compares each role with several others. */
const contents = new WeakMap<Role, string>();

function roleContent(role: Role): string {
  const known = contents.get(role);
  if (known !== undefined) return known;
  const tasks = role.tasks.filter((task) => task.task_id !== CORE_TASK);
  const unique = new Map(tasks.map((task) => [task.task_id, canonicalJson(withoutNulls(task))]));
  const content = canonicalJson({
    role_id: role.role_id,
    name: role.name ?? null,
    description: role.description ?? null,
    tasks: [...unique.values()].sort(),
    extra: withoutNulls(extraFields(role)),
  });
  contents.set(role, content);
  return content;
}

/** Removes null fields, which mean the same as missing ones. */
function withoutNulls(record: Record<string, unknown>): Record<string, unknown> {
  if (!Object.values(record).includes(null)) return record;
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}

/** Returns the roles in the stable order of a pulled file: sorted by id, with their tasks sorted after `user:core`. */
export function inStableOrder(roles: readonly Role[]): Role[] {
  return roles
    .map((role) => ({ ...role, tasks: inTaskOrder(role.tasks) }))
    .sort((a, b) => compare(a.role_id, b.role_id));
}

export function inTaskOrder(tasks: readonly TaskRef[]): TaskRef[] {
  const isCore = ({ task_id }: TaskRef): number => Number(task_id === CORE_TASK);
  return [...tasks].sort((a, b) => isCore(b) - isCore(a) || compare(a.task_id, b.task_id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
