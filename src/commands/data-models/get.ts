// `data-models get`: one data model.
import { getCommand } from '../resource-commands.ts';

export const getDataModel = getCommand('data_model', {
  examples: ['cdpadm data-models get active-customers', 'cdpadm data-models get active-customers -o yaml'],
});
