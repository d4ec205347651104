// `pipelines create`: a new pipeline from a file.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/help.ts';
import { createResource } from '../resource-commands.ts';

export function createCommand(ctx: Context): Command {
  const command = new Command('create')
    .description('create a pipeline from a file')
    .requiredOption('-f, --file <file>', 'the definition, YAML or JSON; - is standard input')
    .action((flags: { file: string }) => createResource(ctx, 'pipeline', flags.file));
  return withHelp(command, {
    notes: ['The connection and the data model must be there already; `cdpadm schema pipeline` describes the file.'],
    examples: [
      'cdpadm pipelines create -f pipeline.yaml',
      'cdpadm pipelines create -f pipeline.yaml --dry-run -o json',
    ],
    json: '{"id","name","pipeline_type","connection_id","data_model_id","state","status","errors":[{"message"}],"sync_mode":{…},"schedule":{…},"environment",…}',
    errors: ['1  the platform refuses it', '6  there is one of this id already', '9  the file is invalid'],
  });
}
