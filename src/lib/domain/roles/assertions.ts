// The assertions of `roles test`: which roles break them, and which ids they name that do not exist.
import type { FieldIssue } from '../../contract/explain.ts';
import type { RolesAssertion } from '../../contract/roles-test.ts';
import { CORE_TASK } from '../../contract/roles.ts';
import { nearest } from '../../kernel/nearest.ts';
import { counted } from '../../kernel/words.ts';
import { type Role, taskIds } from './manifest.ts';
import { grantingTask } from './permissions.ts';

export interface AssertionResult {
  kind: 'only' | 'never' | 'each';
  /** The assertion as a sentence. */
  assertion: string;
  /** What breaks it; empty if it holds. */
  violations: string[];
}

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

/** Every id that does not exist, with the nearest one. A policy with a typo would hold without meaning anything. */
export function unknownIds(
  { only, never }: RolesAssertion,
  roles: readonly Role[],
  tasks: Iterable<string>,
): FieldIssue[] {
  const roleIds = new Set(roles.map((role) => role.role_id));
  const taskIdsKnown = new Set([...tasks, ...roles.flatMap(taskIds), CORE_TASK]);
  const issue = (what: string, id: string, known: ReadonlySet<string>, path: FieldIssue['path']): FieldIssue[] => {
    if (known.has(id)) return [];
    const guess = nearest(id, [...known]);
    return [{ path, message: `unknown ${what} ${id}${guess === undefined ? '' : `; did you mean ${guess}?`}` }];
  };
  return [
    ...(only ? issue('task', only.task, taskIdsKnown, ['only', 'task']) : []),
    ...(only?.roles ?? []).flatMap((id, index) => issue('role', id, roleIds, ['only', 'roles', index])),
    ...(never ? issue('role', never.role, roleIds, ['never', 'role']) : []),
    ...(never?.tasks ?? []).flatMap((id, index) => issue('task', id, taskIdsKnown, ['never', 'tasks', index])),
  ];
}
