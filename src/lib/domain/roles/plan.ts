// The plan of a push: computed once from the live manifest and the desired roles, then shown, hashed and applied.
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { type ManifestRequest, CORE_TASK, RoleReply, type TaskRef } from '../../contract/roles.ts';
import { canonicalJson } from '../../kernel/json.ts';
import {
  inTaskOrder,
  type Manifest,
  type ManifestScope,
  type Role,
  rolesById,
  sameRole,
  extraFields,
  taskIds,
} from './manifest.ts';
import { counted } from '../../kernel/words.ts';
import { type Refusal, refuseDeletions, refuseMany } from '../field-changes.ts';
import { isEscalation } from './permissions.ts';

export function rolesPlanFields() {
  return {
    /** Stamp of the live manifest that the plan is based on. */
    base: z.object({ last_modified_on: z.nullable(z.string()), last_modified_by: z.nullable(z.string()) }),
    created: z.array(RoleReply),
    modified: z.array(modifiedRole()),
    deleted: z.array(RoleReply),
    unchanged: z.array(z.string()),
    summary: z.object({ create: z.number(), modify: z.number(), delete: z.number(), unchanged: z.number() }),
    /** Warnings for the person who approves the plan; omitted if there are none. */
    warnings: z.optional(z.array(z.string())),
    /** Ids of roles that keep platform changes made after the file was pulled; omitted if there are none. */
    kept: z.optional(z.array(z.string())),
  };
}

function modifiedRole() {
  const text = z.object({ from: z.nullable(z.string()), to: z.nullable(z.string()) });
  const tasks = z.object({ added: z.array(z.string()), removed: z.array(z.string()) });
  const known = z.object({ name: z.optional(text), description: z.optional(text), tasks: z.optional(tasks) });
  // Unknown fields may contain any JSON. A task's fields are `tasks.<task_id>.<field>`.
  const changes = z.catchall(known, z.object({ from: z.unknown(), to: z.unknown() }));
  /** `escalations` lists the added tasks that are escalations (see `isEscalation`). */
  return z.object({ role_id: z.string(), changes, escalations: z.array(z.string()) });
}

type PlanFields = z.infer<z.ZodMiniObject<ReturnType<typeof rolesPlanFields>>>;

/** `plan` is a hash (32 hex digits) of the organization, the address, and the live and desired manifests. */
export type RolesPlan = PlanFields & { plan: string };

/** A comparison of two files. It has no plan to apply, because no platform is involved. */
export type RolesComparison = PlanFields & { plan: null };

export type RolesDiff = Omit<PlanFields, 'base' | 'warnings' | 'kept'>;
export type ModifiedRole = PlanFields['modified'][number];
type RoleChanges = ModifiedRole['changes'];

/** Returns the changes that turn `from` into `to`; `base` is the stamp of `from`. */
export function compareManifests(from: Manifest, to: readonly Role[]): RolesComparison {
  const base = { last_modified_on: from.last_modified_on, last_modified_by: from.last_modified_by };
  return { plan: null, base, ...diffRoles(from.roles, to) };
}

export interface PlannedPush {
  plan: RolesPlan;
  live: Manifest;
  /** Body of the PUT: all desired roles and the live manifest's unknown top-level fields. */
  request: ManifestRequest;
}

/** Unchanged roles are sent back as the platform returned them. */
export function planRoles(scope: ManifestScope, live: Manifest, wanted: readonly Role[]): PlannedPush {
  const current = rolesById(live.roles);
  const roles = wanted.map((role) => {
    const now = current.get(role.role_id);
    return now && sameRole(now, role) ? now : role;
  });
  const request = { ...live.extra, roles } as ManifestRequest;
  // Sort tasks, because a different order on the platform is not a change.
  const spelling = (role: Role): string => canonicalJson({ ...role, tasks: inTaskOrder(role.tasks) });
  const hashed = {
    scope,
    live: { ...live, roles: live.roles.map(spelling).sort() },
    wanted: { ...live.extra, roles: roles.map(spelling).sort() },
  };
  const plan = createHash('sha256').update(canonicalJson(hashed)).digest('hex').slice(0, 32);
  return { live, request, plan: { ...compareManifests(live, roles), plan } };
}

export interface GuardFlags {
  allowDelete?: boolean | undefined;
  force?: boolean | undefined;
  allowEmpty?: boolean | undefined;
  failOn?: 'escalation' | undefined;
}

export type GuardRefusal = Refusal<'delete' | 'empty' | 'threshold' | 'escalation'>;

/** Deleting more roles than this with `roles delete` requires a flag. */
export const MOST_UNGUARDED = 3;

/** Returns the command that restores the manifest as it was before this push, with the required flags. */
export function rollbackOf(planned: PlannedPush, revision: string): string[] {
  return ['roles', 'rollback', revision, ...flagsBack(planned, {})];
}

/** Returns the command that undoes this push. Prefers `roles delete`, which leaves later changes in place. */
export function undoOf(planned: PlannedPush, revision: string): string[] {
  const { create, delete: deleted, modify } = planned.plan.summary;
  const ids = planned.plan.created.map(({ role_id }) => role_id);
  const isFlag = ids.some((id) => id.startsWith('-'));
  if (create > MOST_UNGUARDED || deleted + modify > 0 || isFlag) return rollbackOf(planned, revision);
  return ['roles', 'delete', ...ids, ...flagsBack(planned, { allowDelete: true })];
}

function flagsBack({ live, request }: PlannedPush, flags: GuardFlags): string[] {
  const plan = diffRoles(request.roles as Role[], live.roles);
  return guardPush({ plan, live: { roles: request.roles }, request: live }, flags).flatMap(({ flag = [] }) => flag);
}

/** Returns every guard that stops this push, so that one run reports all of them. */
export function guardPush(
  { plan, live, request }: { plan: RolesDiff } & Record<'live' | 'request', { roles: readonly unknown[] }>,
  flags: GuardFlags,
): GuardRefusal[] {
  const refusals: GuardRefusal[] = [];
  const { modify, delete: deletions } = plan.summary;
  if (!flags.allowDelete) {
    const ids = plan.deleted.map((role) => role.role_id);
    const what = `${counted(deletions, 'role')} would be deleted for the whole organization`;
    refusals.push(...refuseDeletions(ids, `${what}: ${ids.join(', ')}`));
  }
  if (request.roles.length === 0 && live.roles.length > 0 && !flags.allowEmpty) {
    refusals.push({ guard: 'empty', flag: '--allow-empty', message: 'the manifest would have no roles left' });
  }
  if (!flags.force) refusals.push(...refuseMany(modify + deletions, live.roles.length, 'roles'));
  const escalations = escalationsOf(plan);
  if (flags.failOn === 'escalation' && escalations.length > 0) {
    refusals.push({
      guard: 'escalation',
      message: `permissions would be escalated: ${escalations.map((item) => `${item.role_id} gains ${item.task_id}`).join(', ')}`,
    });
  }
  return refusals;
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

export function escalationsOf(diff: Pick<RolesDiff, 'created' | 'modified'>): { role_id: string; task_id: string }[] {
  return [
    ...diff.created.map((role) => ({ ...role, escalations: taskIds(role).filter(isEscalation) })),
    ...diff.modified,
  ].flatMap(({ role_id, escalations }) => escalations.map((task_id) => ({ role_id, task_id })));
}

function compareRoles(old: Role, role: Role): ModifiedRole {
  const changes: RoleChanges = {};
  const texts = ({ name, description }: Role) => ({ name, description });
  compareFields(texts(old), texts(role), '', changes);
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

type Fields = Readonly<Record<string, unknown>>;

function compareFields(from: Fields, to: Fields, prefix: string, changes: RoleChanges): void {
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [was, is] = [from[key], to[key]];
    if (canonicalJson(was) !== canonicalJson(is)) changes[`${prefix}${key}`] = { from: was ?? null, to: is ?? null };
  }
}
