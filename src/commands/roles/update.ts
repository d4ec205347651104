// `roles update`: name, description and tasks of one role.
import { Command } from 'commander';
import { CORE_TASK } from '../../lib/contract/roles.ts';
import type { Role } from '../../lib/domain/roles/manifest.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { collect } from '../../lib/runtime/command-line/global-flags.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { changeRoles } from './change.ts';
import { findRole } from './find-role.ts';
import { OUTCOME_JSON, outcomeColumns } from './apply.ts';
import { type RawGuardFlags, withGuardFlags } from './guards.ts';

interface UpdateFlags extends RawGuardFlags {
  name?: string;
  description?: string;
  addTask?: string[];
  removeTask?: string[];
}

export function updateCommand(ctx: Context): Command {
  const command = withGuardFlags(
    new Command('update')
      .description('change the name, description or tasks of a role')
      .argument('<role_id>', 'the id of the role')
      .option('--name <text>', 'the new display name')
      .option('--description <text>', 'the new description')
      .option('--add-task <task_id>', 'a task to give (repeatable)', collect)
      .option('--remove-task <task_id>', 'a task to take away (repeatable)', collect),
  ).action((roleId: string, flags: UpdateFlags) => updateRole(ctx, roleId, flags));
  return withHelp(command, {
    calls: 'platform',
    columns: outcomeColumns,
    examples: [
      'cdpadm roles update user-role --add-task user_activity:view --yes',
      'cdpadm roles update user-role --name "Power User" --remove-task "rules:*" --dry-run',
    ],
    json: OUTCOME_JSON,
    exits: {
      5: 'there is no such role',
      6: 'another plan than the expected one, or the platform keeps changing',
      9: 'the role is not valid, or a task does not exist',
      12: 'a guard refused, or you answered no',
    },
  });
}

async function updateRole(ctx: Context, roleId: string, flags: UpdateFlags): Promise<void> {
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
