// The seeding commands.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { bulkCommand } from './bulk.ts';
import { previewCommand } from './preview.ts';
import { setCommand } from './set.ts';
import { templateCommand } from './template.ts';
import { validateCommand } from './validate.ts';

export function seedGroup(ctx: Context): Command {
  const group = new Command('seed').description('calculated-attribute seeds: check, preview, send millions of users');
  for (const build of [bulkCommand, validateCommand, previewCommand, setCommand, templateCommand]) {
    group.addCommand(build(ctx));
  }
  return group;
}
