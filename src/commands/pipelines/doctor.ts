// `pipelines doctor`: what is wrong with a pipeline, the first cause first.
import { Command } from 'commander';
import { EXIT } from '../../lib/kernel/errors.ts';
import { diagnosisView } from '../../lib/render/pipelines.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { examinePipeline } from '../../lib/workflows/pipelines-doctor.ts';
import { requirePipeline } from './session.ts';

export function doctorCommand(ctx: Context): Command {
  const command = new Command('doctor')
    .description('find out what keeps a pipeline from syncing, and what to do')
    .argument('<pipeline_id>', 'the id of the pipeline')
    .action((id: string) => examine(ctx, id));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    examples: ['cdpadm pipelines doctor customers', 'cdpadm pipelines doctor customers -o json'],
    json: '{"pipeline_id","healthy","state","status","last_success","findings":[{"about","level":"problem"|"notice","problem","next"}]}',
    exits: { 1: 'something keeps it from syncing', 5: 'there is no such pipeline' },
  });
}

async function examine(ctx: Context, id: string): Promise<void> {
  await requirePipeline(ctx, id);
  const found = await examinePipeline(await ctx.api(), id, ctx.clock.now(), ctx.signal);
  const findings = found.findings.map((finding) => ({ ...finding, next: ctx.out.inSamePlace(finding.next) }));
  const diagnosis = { ...found, findings };
  await ctx.out.emit(diagnosis, diagnosisView);
  if (!diagnosis.healthy) ctx.setExit(EXIT.failed);
}
