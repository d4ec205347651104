// `pipelines list`: the pipelines of the workspace.
import { listCommand } from '../resource-commands.ts';

export const listPipelines = listCommand('pipeline', {
  examples: ['cdpadm pipelines list', 'cdpadm pipelines list -o name'],
});
