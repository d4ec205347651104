// The roles commands.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { compareCommand } from './compare.ts';
import { createCommand } from './create.ts';
import { deleteCommand } from './delete.ts';
import { diffCommand } from './diff.ts';
import { editCommand } from './edit.ts';
import { explainCommand } from './explain.ts';
import { getCommand } from './get.ts';
import { historyCommand } from './history.ts';
import { listCommand } from './list.ts';
import { matrixCommand } from './matrix.ts';
import { pullCommand } from './pull.ts';
import { pushCommand } from './push.ts';
import { rollbackCommand } from './rollback.ts';
import { tasksCommand } from './tasks.ts';
import { templatesCommand } from './templates.ts';
import { updateCommand } from './update.ts';
import { validateCommand } from './validate.ts';
import { whoCanCommand } from './who-can.ts';

export function rolesGroup(ctx: Context): Command {
  const group = new Command('roles').description('custom access roles: pull, edit, diff, push');
  for (const build of [
    listCommand,
    getCommand,
    tasksCommand,
    explainCommand,
    whoCanCommand,
    compareCommand,
    matrixCommand,
    templatesCommand,
    pullCommand,
    validateCommand,
    diffCommand,
    pushCommand,
    editCommand,
    createCommand,
    updateCommand,
    deleteCommand,
    historyCommand,
    rollbackCommand,
  ]) {
    group.addCommand(build(ctx));
  }
  return group;
}
