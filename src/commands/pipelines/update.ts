// `pipelines update`: replaces a pipeline by what a file says, or changes the fields that flags give.
import { updateCommand } from '../resource-commands.ts';

export const updatePipeline = updateCommand(
  'pipeline',
  {
    notes: [
      'With -f the file is the whole pipeline. Without it the flags change what is there; an empty text takes a field out. Another `sync_mode` resets the sync position: data is read again. That needs --allow-reset.',
    ],
    examples: [
      'cdpadm pipelines update customers -f pipeline.yaml',
      'cdpadm pipelines update customers --schedule interval --frequency daily --start 2026-01-01T02:00:00Z',
    ],
    exits: { guard: 'the sync position would be reset, or you answered no' },
  },
  { allowReset: { help: 'allow the sync mode to change, which resets the sync position' } },
);
