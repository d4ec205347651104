// The seeding commands.
import { group } from '../../lib/runtime/command-line/define-command.ts';
import { seedFiles } from './bulk.ts';
import { inspectInputs } from './inspect.ts';
import { previewUser } from './preview.ts';
import { joinShards } from './results.ts';
import { setSeeds } from './set.ts';
import { printTemplate } from './template.ts';
import { validateUsers } from './validate.ts';

export const command = group('seed', 'calculated-attribute seeds: inspect, check, preview and send millions of users', [
  seedFiles,
  joinShards,
  inspectInputs,
  validateUsers,
  previewUser,
  setSeeds,
  printTemplate,
]);
