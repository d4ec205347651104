// The commands over all of warehouse sync at once.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { applyCommand } from './apply.ts';
import { diffCommand } from './diff.ts';
import { exportCommand } from './export.ts';

export function warehouseGroup(ctx: Context): Command {
  const group = new Command('warehouse').description('connections, data models and pipelines as a folder of files');
  for (const build of [exportCommand, diffCommand, applyCommand]) group.addCommand(build(ctx));
  return group;
}
