// `pipelines pause`: sets the state to paused.
import { Command } from 'commander';
import { resourceView } from '../../lib/render/warehouse.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { setPipelineState, type StateFlags, withKeyFlag } from './set-state.ts';

export function pauseCommand(ctx: Context): Command {
  const command = withKeyFlag(
    new Command('pause')
      .description('stop a pipeline from syncing until it is resumed')
      .argument('<pipeline_id>', 'the id of the pipeline'),
  ).action((id: string, flags: StateFlags) => setPipelineState(ctx, id, 'paused', flags));
  return withHelp(command, {
    calls: 'platform',
    columns: resourceView('pipeline').columns,
    examples: ['cdpadm pipelines pause customers', 'cdpadm pipelines pause customers --dry-run'],
    json: '{"id","name","pipeline_type","connection_id","data_model_id","state","status",…}',
    exits: { 5: 'there is no such pipeline', 6: 'somebody changed it meanwhile', 12: 'you answered no' },
  });
}
