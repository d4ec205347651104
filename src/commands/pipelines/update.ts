// `pipelines update`: replaces a pipeline by what a file says, or changes the fields that flags give.
import { Command } from 'commander';
import { resourceView } from '../../lib/render/warehouse.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { addFieldFlags, fieldValues } from '../definition-flags.ts';
import { type ResourceFlags, updateResource } from '../resource-change.ts';

export function updateCommand(ctx: Context): Command {
  const command = addFieldFlags(
    new Command('update')
      .description('replace a pipeline by a file, or change the fields that flags give')
      .argument('<pipeline_id>', 'the id of the pipeline')
      .option('-f, --file <file>', 'the definition, YAML or JSON; - is standard input')
      .option('--allow-reset', 'allow the sync mode to change, which resets the sync position'),
    'pipeline',
  ).action((id: string, flags: ResourceFlags) => updateResource(ctx, 'pipeline', id, flags));
  return withHelp(command, {
    calls: 'platform',
    columns: resourceView('pipeline').columns,
    values: fieldValues('pipeline'),
    notes: [
      'With -f the file is the whole pipeline. Without it the flags change what is there; an empty text takes a field out. Another `sync_mode` resets the sync position: data is read again. That needs --allow-reset.',
    ],
    examples: [
      'cdpadm pipelines update customers -f pipeline.yaml',
      'cdpadm pipelines update customers --schedule interval --frequency daily --start 2026-01-01T02:00:00Z',
    ],
    json: '{"id","name","pipeline_type","connection_id","data_model_id","state","status","errors":[{"message"}],"sync_mode":{…},"schedule":{…},"environment",…}',
    exits: {
      5: 'there is no such pipeline',
      6: 'somebody changed it meanwhile',
      9: 'the file is invalid',
      12: 'the sync position would be reset, or you answered no',
    },
  });
}
