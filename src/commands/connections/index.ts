// The connection commands.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { createCommand } from './create.ts';
import { deleteCommand } from './delete.ts';
import { getCommand } from './get.ts';
import { listCommand } from './list.ts';
import { updateCommand } from './update.ts';

export function connectionsGroup(ctx: Context): Command {
  const group = new Command('connections').description('where warehouses are and how they are entered');
  for (const build of [listCommand, getCommand, createCommand, updateCommand, deleteCommand]) {
    group.addCommand(build(ctx));
  }
  return group;
}
