// `pipelines run`: one run of a pipeline.
import { Command } from 'commander';
import { runView } from '../../lib/render/pipelines.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { onPipeline, runIdOf } from './session.ts';

export function runCommand(ctx: Context): Command {
  const command = new Command('run')
    .description('show one run of a pipeline')
    .argument('<pipeline_id>', 'the id of the pipeline')
    .argument('<run_id>', 'the id of the run')
    .action(async (id: string, run: string) => {
      const wanted = runIdOf(run);
      const { pipelines } = await ctx.api();
      await ctx.out.emit(await onPipeline(ctx, id, pipelines.run(id, wanted, ctx.signal)), runView);
    });
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    notes: ['To make a pipeline run, see `cdpadm pipelines trigger`.'],
    examples: ['cdpadm pipelines run customers 1001', 'cdpadm pipelines run customers 1001 -o json'],
    json: '{"id","pipeline_id","type","status","errors","logical_date","started_on","ended_on","range_start","range_end","successful_records","failed_records"}',
    exits: { 5: 'there is no such pipeline or run' },
  });
}
