// The seeding commands.
import { buildGroup } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { seedFiles } from './bulk.ts';
import { inspectInputs } from './inspect.ts';
import { previewUser } from './preview.ts';
import { setSeeds } from './set.ts';
import { printTemplate } from './template.ts';
import { validateUsers } from './validate.ts';

export function seedGroup(ctx: Context) {
  const records = [seedFiles, inspectInputs, validateUsers, previewUser, setSeeds, printTemplate];
  return buildGroup(
    ctx,
    'seed',
    'calculated-attribute seeds: inspect, check, preview and send millions of users',
    records,
  );
}
