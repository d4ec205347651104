// Copies the platform's own fields into the roles of a hand-written file.
import { type Role, rolesById } from './manifest.ts';

/**
 * The roles with the further fields of the same role or task in `source`. A file that omits a field which the
 * specification does not know, or names a task by its id alone, does not mean to remove anything.
 */
export function carryUnknownFields(roles: readonly Role[], source: readonly Role[]): Role[] {
  const held = rolesById(source);
  return roles.map((role) => {
    const same = held.get(role.role_id);
    if (!same) return role;
    const tasks = new Map(same.tasks.map((task) => [task.task_id, task]));
    return { ...same, ...role, tasks: role.tasks.map((task) => ({ ...tasks.get(task.task_id), ...task })) };
  });
}
