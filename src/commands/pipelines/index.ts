// The pipeline commands.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { createCommand } from './create.ts';
import { deleteCommand } from './delete.ts';
import { getCommand } from './get.ts';
import { listCommand } from './list.ts';
import { pauseCommand } from './pause.ts';
import { resumeCommand } from './resume.ts';
import { updateCommand } from './update.ts';

export function pipelinesGroup(ctx: Context): Command {
  const group = new Command('pipelines').description('syncs from a warehouse: trigger, watch, find out what is wrong');
  for (const build of [
    listCommand,
    getCommand,
    createCommand,
    updateCommand,
    deleteCommand,
    pauseCommand,
    resumeCommand,
  ]) {
    group.addCommand(build(ctx));
  }
  return group;
}
