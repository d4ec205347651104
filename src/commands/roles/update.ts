// `roles update`: name, description and tasks of one role.
import { CORE_TASK } from '../../lib/contract/roles.ts';
import type { Role } from '../../lib/domain/roles/manifest.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { changeRoles, guardFlags, outcomeRecord } from './apply.ts';
import { findRole } from './session.ts';

export const updateRole = defineCommand({
  ...outcomeRecord,
  path: 'roles update',
  summary: 'change the name, description or tasks of a role',
  args: { roleId: { name: 'role_id', help: 'the id of the role' } },
  flags: {
    name: { value: 'text', help: 'new display name' },
    description: { value: 'text', help: 'new description' },
    addTask: { value: 'task_id', many: true, help: 'a task to add (repeatable)' },
    removeTask: { value: 'task_id', many: true, help: 'a task to remove (repeatable)' },
    ...guardFlags,
  },
  examples: [
    'cdpadm roles update user-role --add-task user_activity:view --yes',
    'cdpadm roles update user-role --name "Power User" --remove-task "rules:*" --dry-run',
  ],
  exits: {
    notFound: 'role not found',
    conflict: 'the plan is not the expected one, or the platform keeps changing',
    invalidInput: 'the role is not valid, or a task does not exist',
    guard: 'a guard stopped it, or you answered no',
  },
  run: async (ctx, { args, flags }) => {
    const { name, description, addTask = [], removeTask = [] } = flags;
    if (name === undefined && description === undefined && addTask.length + removeTask.length === 0) {
      throw usageError('No change was given.', 'Pass --name, --description, --add-task or --remove-task.');
    }
    await changeRoles(ctx, 'update', flags, (roles) => {
      const role = findRole(roles, args.roleId);
      const updated: Role = {
        ...role,
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        tasks: changeTasks(role, addTask, removeTask),
      };
      return roles.map((item) => (item === role ? updated : item));
    });
  },
});

function changeTasks(role: Role, add: readonly string[], remove: readonly string[]): Role['tasks'] {
  const held = role.tasks.map((task) => task.task_id);
  for (const id of remove) {
    if (id === CORE_TASK) throw usageError(`${CORE_TASK} is part of every role and cannot be removed.`);
    if (held.includes(id)) continue;
    throw usageError(`${role.role_id} does not hold ${id}.`, nearestHint(id, held, `It holds ${held.join(', ')}.`));
  }
  const kept = role.tasks.filter((task) => !remove.includes(task.task_id));
  const gained = [...new Set(add)].filter((id) => !kept.some((task) => task.task_id === id));
  return [...kept, ...gained.map((task_id) => ({ task_id }))];
}
