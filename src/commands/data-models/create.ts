// `data-models create`: a new data model from a file, flags, or both.
import { createCommand } from '../resource-commands.ts';

export const createDataModel = createCommand('data_model', {
  notes: ['`config.sql_file: NAME.sql` beside the file may stand in place of `config.sql_query`.'],
  examples: [
    'cdpadm data-models create -f model.yaml',
    'cdpadm data-models create buyers --name Buyers --sql-file active-customers.sql --dry-run -o json',
  ],
  exits: { guard: 'you answered no' },
});
