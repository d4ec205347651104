// The data model commands.
import { group } from '../../lib/runtime/command-line/define-command.ts';
import { resourceCommands } from '../resource-commands.ts';

const commands = resourceCommands('data_model', {
  list: { examples: ['cdpadm data-models list', 'cdpadm data-models list -o name'] },
  get: { examples: ['cdpadm data-models get active-customers', 'cdpadm data-models get active-customers -o yaml'] },
  create: {
    notes: ['Instead of `config.sql_query`, the file may contain `config.sql_file`, a path relative to the file.'],
    examples: [
      'cdpadm data-models create -f model.yaml',
      'cdpadm data-models create buyers --name Buyers --sql-file active-customers.sql --dry-run -o json',
    ],
    exits: { guard: 'you answered no' },
  },
  update: {
    notes: ['With -f, the file is the complete data model. Without -f, flags change individual fields.'],
    examples: [
      'cdpadm data-models update active-customers -f model.yaml',
      'cdpadm data-models update active-customers --sql-file active-customers.sql',
    ],
    exits: { guard: 'you answered no' },
  },
  delete: {
    examples: ['cdpadm data-models delete unused --dry-run', 'cdpadm data-models delete unused --yes'],
    exits: { conflict: 'a pipeline uses the data model, or another admin changed it' },
  },
});

export const command = group('data-models', 'SQL queries that pipelines run', commands);
