// `data-models get`: one data model.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { resourceView } from '../../lib/render/warehouse.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { getResource } from '../resource-read.ts';

export function getCommand(ctx: Context): Command {
  const command = new Command('get')
    .description('show one data model')
    .argument('<data_model_id>', 'the id of the data model')
    .action((id: string) => getResource(ctx, 'data_model', id));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    columns: () => resourceView('data_model').columns,
    examples: ['cdpadm data-models get active-customers', 'cdpadm data-models get active-customers -o yaml'],
    json: '{"id","name","state","status","errors":[{"message"}],"type":"sql","config":{"sql_query"},"created_on",…}',
    exits: { 5: 'there is no such data model' },
  });
}
