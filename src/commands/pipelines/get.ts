// `pipelines get`: one pipeline.
import { getCommand } from '../resource-commands.ts';

export const getPipeline = getCommand('pipeline', {
  examples: ['cdpadm pipelines get customers', 'cdpadm pipelines get customers -o yaml'],
});
