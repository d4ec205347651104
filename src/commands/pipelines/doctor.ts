// `pipelines doctor`: reports why a pipeline does not sync, root cause first.
import { array, boolean, enum as oneOf, nullable, object, string } from 'zod/mini';
import { diagnosisView } from '../../lib/render/pipelines.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { examinePipeline } from '../../lib/workflows/pipelines-watch.ts';
import { pipelineArg, requirePipeline } from './session.ts';

export const diagnosePipeline = defineCommand({
  path: 'pipelines doctor',
  summary: 'diagnose why a pipeline does not sync and suggest fixes',
  effect: 'read',
  calls: 'platform',
  args: pipelineArg,
  output: () =>
    object({
      pipeline_id: string(),
      healthy: boolean(),
      state: nullable(string()),
      status: nullable(string()),
      last_success: nullable(string()),
      findings: array(
        object({ about: string(), level: oneOf(['problem', 'notice']), problem: string(), next: string() }),
      ),
    }),
  columns: asColumns('pipeline_id healthy state status last_success findings'),
  examples: ['cdpadm pipelines doctor customers', 'cdpadm pipelines doctor customers -o json'],
  exits: { failed: 'the pipeline is unhealthy', notFound: 'the pipeline does not exist' },
  run: async (ctx, { args: { pipeline_id: id } }) => {
    await requirePipeline(ctx, id);
    const found = await examinePipeline(await ctx.api(), id, ctx.clock.now(), ctx.signal);
    const findings = found.findings.map((finding) => ({ ...finding, next: ctx.out.advice(finding.next) }));
    if (!found.healthy) ctx.setExit('failed');
    return { ...found, findings };
  },
  view: () => diagnosisView,
});
