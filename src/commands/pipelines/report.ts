// `pipelines report`: the platform's own report on a pipeline.
import { Command } from 'commander';
import { reportView } from '../../lib/render/pipelines.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { onPipeline, tellRuns, wantsRuns } from './session.ts';

export function reportCommand(ctx: Context): Command {
  const command = new Command('report')
    .description("show the platform's report on a pipeline")
    .argument('<pipeline_id>', 'the id of the pipeline')
    .action(async (id: string) => {
      const { pipelines } = await ctx.api();
      await ctx.out.emit(await onPipeline(ctx, id, pipelines.report(id, ctx.signal)), reportView);
      if (!wantsRuns(ctx)) return;
      tellRuns(ctx, (await pipelines.runs(id, { currentPage: 1, pageSize: 100 }, ctx.signal)).items);
    });
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    examples: ['cdpadm pipelines report customers', 'cdpadm pipelines report customers -o json'],
    json: '{"pipeline_id","status","errors","connection_status","connection_errors","data_model_status","data_model_errors","latest_successful_pipeline_run_id","current_iterator_position","latest_pipeline_run"}',
    exits: { 5: 'there is no such pipeline' },
  });
}
