// `data-models list`: the data models of the workspace.
import { listCommand } from '../resource-commands.ts';

export const listDataModels = listCommand('data_model', {
  examples: ['cdpadm data-models list', 'cdpadm data-models list -o name'],
});
