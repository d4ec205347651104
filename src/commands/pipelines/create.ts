// `pipelines create`: a new pipeline from a file, flags, or both.
import { Command } from 'commander';
import { resourceView } from '../../lib/render/warehouse.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { addFieldFlags, fieldValues } from '../definition-flags.ts';
import { createResource, type ResourceFlags } from '../resource-change.ts';

export function createCommand(ctx: Context): Command {
  const command = addFieldFlags(
    new Command('create')
      .description('create a pipeline from a file, flags, or both')
      .argument('[pipeline_id]', 'the id of the new pipeline; a file may hold it')
      .option('-f, --file <file>', 'the definition, YAML or JSON; - is standard input'),
    'pipeline',
  ).action((id: string | undefined, flags: ResourceFlags) => createResource(ctx, 'pipeline', id, flags));
  return withHelp(command, {
    calls: 'platform',
    columns: resourceView('pipeline').columns,
    values: fieldValues('pipeline'),
    notes: [
      'The connection and the data model must be there already. Flags win over the file; `cdpadm schema pipeline` describes the file.',
    ],
    examples: [
      'cdpadm pipelines create -f pipeline.yaml',
      'cdpadm pipelines create nightly -f pipeline.yaml --name Nightly --schedule interval --frequency daily --start 2026-01-01T02:00:00Z --dry-run',
    ],
    json: '{"id","name","pipeline_type","connection_id","data_model_id","state","status","errors":[{"message"}],"sync_mode":{…},"schedule":{…},"environment",…}',
    exits: {
      1: 'the platform refuses it',
      2: 'a field that no flag and no file gives',
      6: 'there is one of this id already',
      9: 'the file is invalid',
      12: 'the file names a command or a file elsewhere, or you answered no',
    },
  });
}
