// `data-models update`: replaces a data model by what a file says, or changes the fields that flags give.
import { Command } from 'commander';
import { resourceView } from '../../lib/render/warehouse.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { addFieldFlags, fieldValues } from '../definition-flags.ts';
import { type ResourceFlags, updateResource } from '../resource-change.ts';

export function updateCommand(ctx: Context): Command {
  const command = addFieldFlags(
    new Command('update')
      .description('replace a data model by a file, or change the fields that flags give')
      .argument('<data_model_id>', 'the id of the data model')
      .option('-f, --file <file>', 'the definition, YAML or JSON; - is standard input'),
    'data_model',
  ).action((id: string, flags: ResourceFlags) => updateResource(ctx, 'data_model', id, flags));
  return withHelp(command, {
    calls: 'platform',
    columns: resourceView('data_model').columns,
    values: fieldValues('data_model'),
    notes: ['With -f the file is the whole data model. Without it the flags change what is there.'],
    examples: [
      'cdpadm data-models update active-customers -f model.yaml',
      'cdpadm data-models update active-customers --sql-file active-customers.sql',
    ],
    json: '{"id","name","state","status","errors":[{"message"}],"type":"sql","config":{"sql_query"},"created_on",…}',
    exits: {
      5: 'there is no such data model',
      6: 'somebody changed it meanwhile',
      9: 'the file is invalid',
      12: 'you answered no',
    },
  });
}
