// `data-models create`: a new data model from a file, flags, or both.
import { Command } from 'commander';
import { resourceView } from '../../lib/render/warehouse.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { addFieldFlags, fieldValues } from '../definition-flags.ts';
import { createResource, type ResourceFlags } from '../resource-change.ts';

export function createCommand(ctx: Context): Command {
  const command = addFieldFlags(
    new Command('create')
      .description('create a data model from a file, flags, or both')
      .argument('[data_model_id]', 'the id of the new data model; a file may hold it')
      .option('-f, --file <file>', 'the definition, YAML or JSON; - is standard input'),
    'data_model',
  ).action((id: string | undefined, flags: ResourceFlags) => createResource(ctx, 'data_model', id, flags));
  return withHelp(command, {
    calls: 'platform',
    columns: resourceView('data_model').columns,
    values: fieldValues('data_model'),
    notes: ['`config.sql_file: NAME.sql` beside the file may stand in place of `config.sql_query`.'],
    examples: [
      'cdpadm data-models create -f model.yaml',
      'cdpadm data-models create buyers --name Buyers --sql-file active-customers.sql --dry-run -o json',
    ],
    json: '{"id","name","state","status","errors":[{"message"}],"type":"sql","config":{"sql_query"},"created_on",…}',
    exits: {
      1: 'the platform refuses it',
      2: 'a field that no flag and no file gives',
      6: 'there is one of this id already',
      9: 'the file is invalid',
      12: 'you answered no',
    },
  });
}
