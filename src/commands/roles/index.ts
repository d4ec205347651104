// The roles commands.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { diffCommand } from './diff.ts';
import { editCommand } from './edit.ts';
import { getCommand } from './get.ts';
import { historyCommand } from './history.ts';
import { listCommand } from './list.ts';
import { pullCommand } from './pull.ts';
import { pushCommand } from './push.ts';
import { rollbackCommand } from './rollback.ts';
import { tasksCommand } from './tasks.ts';
import { validateCommand } from './validate.ts';

export function rolesGroup(ctx: Context): Command {
  const group = new Command('roles').description('custom access roles: pull, edit, diff, push');
  for (const build of [
    listCommand,
    getCommand,
    tasksCommand,
    pullCommand,
    validateCommand,
    diffCommand,
    pushCommand,
    editCommand,
    historyCommand,
    rollbackCommand,
  ]) {
    group.addCommand(build(ctx));
  }
  return group;
}
