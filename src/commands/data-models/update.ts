// `data-models update`: replaces a data model by what a file says, or changes the fields that flags give.
import { updateCommand } from '../resource-commands.ts';

export const updateDataModel = updateCommand('data_model', {
  notes: ['With -f the file is the whole data model. Without it the flags change what is there.'],
  examples: [
    'cdpadm data-models update active-customers -f model.yaml',
    'cdpadm data-models update active-customers --sql-file active-customers.sql',
  ],
  exits: { guard: 'you answered no' },
});
