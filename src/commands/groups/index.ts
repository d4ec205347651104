// The groups commands.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { attributesAddCommand } from './attributes-add.ts';
import { attributesRemoveCommand } from './attributes-remove.ts';
import { createCommand } from './create.ts';
import { deleteCommand } from './delete.ts';
import { diffCommand } from './diff.ts';
import { getCommand } from './get.ts';
import { listCommand } from './list.ts';
import { setCommand } from './set.ts';
import { updateCommand } from './update.ts';

export function groupsGroup(ctx: Context): Command {
  const attributes = new Command('attributes')
    .description('what the members of a group share')
    .addCommand(attributesAddCommand(ctx))
    .addCommand(attributesRemoveCommand(ctx));
  const group = new Command('groups').description('group identities: households and the like');
  for (const build of [listCommand, getCommand, createCommand, updateCommand, setCommand, deleteCommand, diffCommand]) {
    group.addCommand(build(ctx));
  }
  return group.addCommand(attributes);
}
