// The data model commands.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { createCommand } from './create.ts';
import { deleteCommand } from './delete.ts';
import { getCommand } from './get.ts';
import { listCommand } from './list.ts';
import { updateCommand } from './update.ts';

export function dataModelsGroup(ctx: Context): Command {
  const group = new Command('data-models').description('SQL queries that pipelines read');
  for (const build of [listCommand, getCommand, createCommand, updateCommand, deleteCommand]) {
    group.addCommand(build(ctx));
  }
  return group;
}
