// `pipelines report`: the platform's report on a pipeline.
import { PipelineReportReply } from '../../lib/contract/pipelines.ts';
import { reportView } from '../../lib/render/pipelines.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { onPipeline, pipelineArg, tellRuns, wantsRuns } from './session.ts';

export const showReport = defineCommand({
  path: 'pipelines report',
  summary: "show the platform's report on a pipeline",
  effect: 'read',
  calls: 'platform',
  args: pipelineArg,
  output: () => PipelineReportReply,
  examples: ['cdpadm pipelines report customers', 'cdpadm pipelines report customers -o json'],
  exits: { notFound: 'the pipeline does not exist' },
  run: async (ctx, { args: { pipeline_id: id } }) => {
    const { pipelines } = await ctx.api();
    await ctx.out.emit(await onPipeline(ctx, id, pipelines.report(id, ctx.signal)), reportView);
    if (!wantsRuns(ctx)) return;
    tellRuns(ctx, (await pipelines.runs(id, { currentPage: 1, pageSize: 100 }, ctx.signal)).items);
  },
});
