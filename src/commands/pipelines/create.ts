// `pipelines create`: a new pipeline from a file, flags, or both.
import { createCommand } from '../resource-commands.ts';

export const createPipeline = createCommand('pipeline', {
  notes: [
    'The connection and the data model must be there already. Flags win over the file; `cdpadm schema pipeline` describes the file.',
  ],
  examples: [
    'cdpadm pipelines create -f pipeline.yaml',
    'cdpadm pipelines create nightly -f pipeline.yaml --name Nightly --schedule interval --frequency daily --start 2026-01-01T02:00:00Z --dry-run',
  ],
});
