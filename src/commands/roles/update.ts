// `roles update`: name, description and tasks of one role.
import { CORE_TASK } from '../../lib/contract/roles.ts';
import type { Role } from '../../lib/domain/roles/manifest.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { changeRoles, outcomeRecord } from './apply.ts';
import { findRole } from './session.ts';
import { guardFlags, type RawGuardFlags } from './guards.ts';

interface UpdateFlags extends RawGuardFlags {
  name?: string;
  description?: string;
  addTask?: string[];
  removeTask?: string[];
}

export const updateRole = defineCommand({
  ...outcomeRecord,
  path: 'roles update',
  summary: 'change the name, description or tasks of a role',
  args: { roleId: { name: 'role_id', help: 'the id of the role' } },
  flags: {
    name: { value: 'text', help: 'the new display name' },
    description: { value: 'text', help: 'the new description' },
    addTask: { value: 'task_id', many: true, help: 'a task to give (repeatable)' },
    removeTask: { value: 'task_id', many: true, help: 'a task to take away (repeatable)' },
    ...guardFlags,
  },
  examples: [
    'cdpadm roles update user-role --add-task user_activity:view --yes',
    'cdpadm roles update user-role --name "Power User" --remove-task "rules:*" --dry-run',
  ],
  exits: {
    notFound: 'there is no such role',
    conflict: 'another plan than the expected one, or the platform keeps changing',
    invalidInput: 'the role is not valid, or a task does not exist',
    guard: 'a guard refused, or you answered no',
  },
  run: (ctx, { args, flags }) => changeRole(ctx, args.roleId, flags),
});

async function changeRole(ctx: Context, roleId: string, flags: UpdateFlags): Promise<void> {
  const { name, description, addTask = [], removeTask = [] } = flags;
  if (name === undefined && description === undefined && addTask.length + removeTask.length === 0) {
    throw usageError('There is nothing to change.', 'Give --name, --description, --add-task or --remove-task.');
  }
  await changeRoles(
    ctx,
    'update',
    (roles) => {
      const role = findRole(roles, roleId);
      const updated: Role = {
        ...role,
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        tasks: changeTasks(role, addTask, removeTask),
      };
      return roles.map((item) => (item === role ? updated : item));
    },
    flags,
  );
}

function changeTasks(role: Role, add: readonly string[], remove: readonly string[]): Role['tasks'] {
  const held = role.tasks.map((task) => task.task_id);
  for (const id of remove) {
    if (id === CORE_TASK) throw usageError(`${CORE_TASK} is part of every role and cannot be taken away.`);
    if (held.includes(id)) continue;
    throw usageError(`${role.role_id} does not hold ${id}.`, nearestHint(id, held, `It holds ${held.join(', ')}.`));
  }
  const kept = role.tasks.filter((task) => !remove.includes(task.task_id));
  const gained = [...new Set(add)].filter((id) => !kept.some((task) => task.task_id === id));
  return [...kept, ...gained.map((task_id) => ({ task_id }))];
}
