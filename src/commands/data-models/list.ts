// `data-models list`: the data models of the workspace.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { resourceListView } from '../../lib/render/warehouse.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { listResources } from '../resource-read.ts';

export function listCommand(ctx: Context): Command {
  const command = new Command('list')
    .description('list the data models of the workspace')
    .action(() => listResources(ctx, 'data_model'));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    columns: () => resourceListView('data_model').columns,
    examples: ['cdpadm data-models list', 'cdpadm data-models list -o name'],
    json: '[{"id","name","state","status","errors":[{"message"}],"type":"sql","config":{"sql_query"},"created_on",…}]',
  });
}
