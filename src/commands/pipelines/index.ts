// The pipeline commands.
import { group } from '../../lib/runtime/command-line/define-command.ts';
import { resourceCommands } from '../resource-commands.ts';
import { resetPosition, pausePipeline, resumePipeline } from './state.ts';
import { diagnosePipeline, listRuns, showReport, showRun } from './runs.ts';
import { triggerRun, watchPipeline } from './trigger.ts';

const commands = resourceCommands(
  'pipeline',
  {
    list: { examples: ['cdpadm pipelines list', 'cdpadm pipelines list -o name'] },
    get: { examples: ['cdpadm pipelines get customers', 'cdpadm pipelines get customers -o yaml'] },
    create: {
      notes: [
        'The connection and the data model must exist. Flags override the file. `cdpadm schema pipeline` prints the schema of the file.',
      ],
      examples: [
        'cdpadm pipelines create -f pipeline.yaml',
        'cdpadm pipelines create nightly -f pipeline.yaml --name Nightly --schedule interval --frequency daily --start 2026-01-01T02:00:00Z --dry-run',
      ],
    },
    update: {
      notes: [
        'With -f, the file is the complete pipeline. Without -f, flags change individual fields, and an empty value removes a field. Changing `sync_mode` resets the sync position, so data is read again. This needs --allow-reset.',
      ],
      examples: [
        'cdpadm pipelines update customers -f pipeline.yaml',
        'cdpadm pipelines update customers --schedule interval --frequency daily --start 2026-01-01T02:00:00Z',
      ],
      exits: { guard: 'the sync position would be reset, or you answered no' },
    },
    delete: { examples: ['cdpadm pipelines delete customers --dry-run', 'cdpadm pipelines delete customers --yes'] },
  },
  { allowReset: { help: 'allow changing the sync mode, which resets the sync position' } },
);

export const command = group('pipelines', 'syncs from a warehouse: trigger, watch, diagnose', [
  ...commands,
  pausePipeline,
  resumePipeline,
  triggerRun,
  resetPosition,
  showReport,
  listRuns,
  showRun,
  watchPipeline,
  diagnosePipeline,
]);
