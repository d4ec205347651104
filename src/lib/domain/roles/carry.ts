// Gives a hand-written file those fields of the platform that it does not mention.
import { isBare, type Role, rolesById } from './manifest.ts';

/**
 * The roles with what `source` holds of the same role or task besides: a file that leaves out a field which the
 * specification does not know, or names a task by its bare id, does not mean to take anything away.
 */
export function carryUnknownFields(roles: readonly Role[], source: readonly Role[]): Role[] {
  const held = rolesById(source);
  return roles.map((role) => {
    const same = held.get(role.role_id);
    if (!same) return role;
    const tasks = new Map(same.tasks.map((task) => [task.task_id, task]));
    const carried = role.tasks.map((task) => {
      const had = tasks.get(task.task_id);
      return had === undefined || isBare(had) ? task : { ...had, ...task };
    });
    return { ...same, ...role, tasks: carried };
  });
}
