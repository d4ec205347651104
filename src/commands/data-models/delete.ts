// `data-models delete`: takes a data model away.
import { deleteCommand } from '../resource-commands.ts';

export const deleteDataModel = deleteCommand('data_model', {
  examples: ['cdpadm data-models delete unused --dry-run', 'cdpadm data-models delete unused --yes'],
  exits: { conflict: 'a pipeline uses it' },
});
