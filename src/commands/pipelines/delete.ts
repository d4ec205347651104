// `pipelines delete`: takes a pipeline away.
import { deleteCommand } from '../resource-commands.ts';

export const deletePipeline = deleteCommand('pipeline', {
  examples: ['cdpadm pipelines delete customers --dry-run', 'cdpadm pipelines delete customers --yes'],
});
