// Permissions that a role grants, in the words of the specification's permission reference.
import * as z from 'zod/mini';
import { PERMISSIONS } from '../../contract/role-catalog.ts';
import { CORE_TASK } from '../../contract/roles.ts';
import { type Role, taskIds } from './manifest.ts';
import type { FieldIssue } from '../../contract/explain.ts';
import type { RolesAssertion } from '../../contract/roles-test.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { counted } from '../../kernel/words.ts';

export const CATALOG_TASKS: ReadonlySet<string> = new Set(PERMISSIONS.map(({ task_id }) => task_id));

/** A task outside the reference is its own feature. For `escalation`, see `isEscalation`. */
export function permissionResult() {
  const texts = { feature: z.string(), permission: z.string(), task_id: z.string(), meaning: z.string() };
  return z.object({ ...texts, escalation: z.boolean() });
}

/** Returns a role's permissions in the order of the reference, with unknown tasks last. */
export function permissionsOf(role: Pick<Role, 'tasks'>): z.infer<ReturnType<typeof permissionResult>>[] {
  const ids = new Set([CORE_TASK, ...taskIds(role)]);
  const known = PERMISSIONS.filter((permission) => ids.delete(permission.task_id));
  const unknown = [...ids].map((task_id) => ({ feature: task_id, permission: '', task_id, meaning: '' }));
  return [...known, ...unknown].map((permission) => ({ ...permission, escalation: isEscalation(permission.task_id) }));
}

/** Returns the role's task that grants `taskId`, if any: the task itself or the `…:*` of its feature. */
export function grantingTask(role: Pick<Role, 'tasks'>, taskId: string): string | undefined {
  if (taskId === CORE_TASK) return CORE_TASK;
  const ids = taskIds(role);
  return [taskId, taskId.replace(/(?::.*)?$/s, ':*')].find((id) => ids.includes(id));
}

export function matrixRow() {
  return z.object({
    task_id: z.string(),
    feature: z.string(),
    permission: z.string(),
    /** By role id: `direct`, `implied` by a `…:*`, or null. */
    roles: z.record(z.string(), z.nullable(z.enum(['direct', 'implied']))),
  });
}

export type MatrixRow = z.infer<ReturnType<typeof matrixRow>>;

/** Returns a row for each task that any of the roles has, in the order of the reference; unknown tasks come last. */
export function roleMatrix(roles: readonly Role[]): MatrixRow[] {
  const held = new Set(roles.flatMap(taskIds));
  const listed = PERMISSIONS.filter(({ task_id }) => held.delete(task_id));
  const rest = [...held].sort().map((task_id) => ({ task_id, feature: '', permission: '' }));
  return [...listed, ...rest].map(({ task_id, feature, permission }) => ({
    task_id,
    feature,
    permission,
    roles: Object.fromEntries(
      roles.map((role) => {
        const granting = grantingTask(role, task_id);
        return [role.role_id, granting === undefined ? null : granting === task_id ? 'direct' : 'implied'];
      }),
    ),
  }));
}

export function comparisonResult() {
  const tasks = z.array(z.string());
  return z.object({ left: z.string(), right: z.string(), both: tasks, only_left: tasks, only_right: tasks });
}

export function compareRoleTasks(left: Role, right: Role): z.infer<ReturnType<typeof comparisonResult>> {
  const mine = new Set(taskIds(left));
  const other = new Set(taskIds(right));
  return {
    left: left.role_id,
    right: right.role_id,
    both: [...mine].filter((id) => other.has(id)).sort(),
    only_left: [...mine].filter((id) => !other.has(id)).sort(),
    only_right: [...other].filter((id) => !mine.has(id)).sort(),
  };
}

const SENSITIVE_FEATURES = new Set(['user_management', 'api_credentials', 'privacy']);

/** True if a task gives full access (`…:*`), or any access to user management, API credentials or privacy. */
export function isEscalation(taskId: string): boolean {
  return taskId.endsWith(':*') || SENSITIVE_FEATURES.has(taskId.replace(/:.*/s, ''));
}

export function assertionResult() {
  return z.object({
    result: z.enum(['pass', 'fail']),
    kind: z.enum(['only', 'never', 'each']),
    assertion: z.string(),
    violations: z.array(z.string()),
    line: z.number(),
  });
}

type AssertionResult = Omit<z.infer<ReturnType<typeof assertionResult>>, 'result' | 'line'>;

/** Checks one assertion against every role. `x:*` grants every task of `x`. */
export function checkAssertion({ only, never, each }: RolesAssertion, roles: readonly Role[]): AssertionResult[] {
  const results: AssertionResult[] = [];
  if (only) {
    const others = roles.filter((role) => !only.roles.includes(role.role_id));
    results.push({
      kind: 'only',
      assertion: `only ${only.roles.join(', ') || 'no role'} may have ${only.task}`,
      violations: others.flatMap((role) => grants(role, only.task)),
    });
  }
  if (never) {
    results.push({
      kind: 'never',
      assertion: `${never.role} may never have ${never.tasks.join(', ')}`,
      violations: roles
        .filter((role) => role.role_id === never.role)
        .flatMap((role) => never.tasks.flatMap((task) => grants(role, task))),
    });
  }
  if (each) {
    results.push({
      kind: 'each',
      assertion: `each role has at most ${counted(each.max_tasks, 'task')}`,
      violations: roles
        .map((role) => ({ id: role.role_id, count: taskIds(role).length }))
        .flatMap(({ id, count }) => (count > each.max_tasks ? [`${id} has ${counted(count, 'task')}`] : [])),
    });
  }
  return results;
}

function grants(role: Role, task: string): string[] {
  const by = grantingTask(role, task);
  if (by === undefined) return [];
  return [`${role.role_id} has ${task}${by === task ? '' : ` (by ${by})`}`];
}

/** Returns an issue for each unknown id. Without this check, an assertion with a typo could pass. */
export function unknownIds({ only, never }: RolesAssertion, roles: readonly Role[], tasks: Iterable<string>) {
  const roleIds = new Set(roles.map((role) => role.role_id));
  const taskIdsKnown = new Set([...tasks, ...roles.flatMap(taskIds), CORE_TASK]);
  const issue = (what: string, id: string, known: ReadonlySet<string>, path: FieldIssue['path']): FieldIssue[] => {
    return known.has(id) ? [] : [{ path, message: `unknown ${what} ${id}${didYouMean(id, known, '')}` }];
  };
  return [
    ...(only ? issue('task', only.task, taskIdsKnown, ['only', 'task']) : []),
    ...(only?.roles ?? []).flatMap((id, index) => issue('role', id, roleIds, ['only', 'roles', index])),
    ...(never ? issue('role', never.role, roleIds, ['never', 'role']) : []),
    ...(never?.tasks ?? []).flatMap((id, index) => issue('task', id, taskIdsKnown, ['never', 'tasks', index])),
  ];
}
