// `pipelines list`: the pipelines of the workspace.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { resourceListView } from '../../lib/render/warehouse.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { listResources } from '../resource-read.ts';

export function listCommand(ctx: Context): Command {
  const command = new Command('list')
    .description('list the pipelines of the workspace')
    .action(() => listResources(ctx, 'pipeline'));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    columns: () => resourceListView('pipeline').columns,
    examples: ['cdpadm pipelines list', 'cdpadm pipelines list -o name'],
    json: '[{"id","name","pipeline_type","connection_id","data_model_id","state","status","errors":[{"message"}],"sync_mode":{…},"schedule":{…},"environment",…}]',
  });
}
