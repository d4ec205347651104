// `pipelines update`: replaces a pipeline by what a file says.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/help.ts';
import { updateResource } from '../resource-commands.ts';

export function updateCommand(ctx: Context): Command {
  const command = new Command('update')
    .description('replace a pipeline by what a file says')
    .argument('<pipeline_id>', 'the id of the pipeline')
    .requiredOption('-f, --file <file>', 'the definition, YAML or JSON; - is standard input')
    .option('--allow-reset', 'allow the sync mode to change, which resets the sync position')
    .action((id: string, flags: { file: string; allowReset?: boolean }) =>
      updateResource(ctx, 'pipeline', id, flags.file, flags.allowReset === true),
    );
  return withHelp(command, {
    notes: ['Another `sync_mode` resets the sync position: data is read again. That needs --allow-reset.'],
    examples: [
      'cdpadm pipelines update customers -f pipeline.yaml',
      'cdpadm pipelines update customers -f pipeline.yaml --dry-run',
    ],
    json: '{"id","name","pipeline_type","connection_id","data_model_id","state","status","errors":[{"message"}],"sync_mode":{…},"schedule":{…},"environment",…}',
    errors: [
      '5  there is no such pipeline',
      '6  somebody changed it meanwhile',
      '9  the file is invalid',
      '12  the sync position would be reset',
    ],
  });
}
