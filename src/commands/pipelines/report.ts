// `pipelines report` and `doctor`: show the platform's report, and why a pipeline does not sync.
import { createWireNames } from '../../lib/contract/names.ts';
import { PipelineReportReply } from '../../lib/contract/pipelines.ts';
import { reportView, diagnosisView } from '../../lib/render/pipelines.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { onPipeline, pipelineArg, tellRuns, wantsRuns, requirePipeline } from './session.ts';
import { diagnosisResult } from '../../lib/domain/warehouse/diagnose.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { examinePipeline } from '../../lib/workflows/pipelines-watch.ts';

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

export const diagnosePipeline = defineCommand({
  path: 'pipelines doctor',
  summary: 'diagnose why a pipeline does not sync and suggest fixes',
  effect: 'read',
  calls: 'platform',
  args: pipelineArg,
  output: () => diagnosisResult(),
  columns: asColumns('pipeline_id healthy state status last_success findings'),
  examples: ['cdpadm pipelines doctor customers', 'cdpadm pipelines doctor customers -o json'],
  exits: { failed: 'the pipeline is unhealthy', notFound: 'the pipeline does not exist' },
  run: async (ctx, { args: { pipeline_id: id } }) => {
    await requirePipeline(ctx, id);
    const names = createWireNames((await ctx.settings()).names);
    const found = await examinePipeline(await ctx.api(), id, { names, now: ctx.clock.now() }, ctx.signal);
    const findings = found.findings.map((finding) => ({ ...finding, next: ctx.out.advice(finding.next) }));
    if (!found.healthy) ctx.setExit('failed');
    return { ...found, findings };
  },
  view: () => diagnosisView,
});
