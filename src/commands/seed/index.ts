// The seeding commands.
import { buildGroup } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { seedFiles } from './bulk.ts';
import { previewUser } from './preview.ts';
import { setSeeds } from './set.ts';
import { printTemplate } from './template.ts';
import { validateUsers } from './validate.ts';

export function seedGroup(ctx: Context) {
  const records = [seedFiles, validateUsers, previewUser, setSeeds, printTemplate];
  return buildGroup(ctx, 'seed', 'calculated-attribute seeds: check, preview, send millions of users', records);
}
