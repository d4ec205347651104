// `pipelines resume`: sets the state to active.
import { Command } from 'commander';
import { resourceView } from '../../lib/render/warehouse.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { setPipelineState, type StateFlags, withKeyFlag } from './set-state.ts';

export function resumeCommand(ctx: Context): Command {
  const command = withKeyFlag(
    new Command('resume')
      .description('let a paused pipeline sync again')
      .argument('<pipeline_id>', 'the id of the pipeline'),
  ).action((id: string, flags: StateFlags) => setPipelineState(ctx, id, 'active', flags));
  return withHelp(command, {
    calls: 'platform',
    columns: resourceView('pipeline').columns,
    examples: ['cdpadm pipelines resume customers', 'cdpadm pipelines resume customers --dry-run'],
    json: '{"id","name","pipeline_type","connection_id","data_model_id","state","status",…}',
    exits: { 5: 'there is no such pipeline', 6: 'somebody changed it meanwhile', 12: 'you answered no' },
  });
}
