// `pipelines reset`: forgets the sync position, so that the next run reads everything again.
import { literal, object, string } from 'zod/mini';
import { describeReread } from '../../lib/domain/warehouse/definition.ts';
import type { RecordView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { resetPipeline } from '../../lib/workflows/pipelines-trigger.ts';
import { type WithTarget, workspaceTarget } from '../results.ts';
import { pipelineArg, requirePipeline, runPorts } from './session.ts';

function resetResult() {
  return object({
    pipeline_id: string(),
    reset_type: literal('full'),
    accepted: literal(true),
    target: workspaceTarget(),
  });
}

type ResetResult = WithTarget<typeof resetResult>;

const view: RecordView<ResetResult> = {
  kind: 'record',
  columns: [
    { key: 'pipeline_id', id: true, value: (it) => it.pipeline_id },
    { key: 'reset_type', value: (it) => it.reset_type },
    { key: 'accepted', value: (it) => it.accepted },
  ],
};

export const resetPosition = defineCommand({
  path: 'pipelines reset',
  summary: 'forget the sync position: the next run reads everything again',
  effect: 'write',
  calls: 'platform',
  args: pipelineArg,
  flags: { type: { value: 'type', help: 'what is reset', choices: ['full'], default: 'full' } },
  columns: view.columns,
  output: resetResult,
  notes: ['It wants the id of the pipeline to be typed, or given by --confirm; --yes does not answer that.'],
  examples: ['cdpadm pipelines reset customers --dry-run', 'cdpadm pipelines reset customers --confirm customers'],
  exits: {
    usage: 'the id was not confirmed',
    notFound: 'there is no such pipeline',
    conflict: 'the pipeline is not idle',
    network: 'the answer was lost; it is not sent again',
    guard: 'another id was typed',
  },
  run: (ctx, { args }) => reset(ctx, args.pipeline_id),
});

async function reset(ctx: Context, id: string): Promise<void> {
  const ports = await runPorts(ctx);
  if (ctx.flags.curl) {
    await ports.api.reset(id, { signal: ctx.signal });
    return;
  }
  const target = await ctx.startWrite('workspace');
  const pipeline = await requirePipeline(ctx, id);
  ctx.out.warn(describeReread(pipeline));
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([ports.api.describeReset(id)], undefined, undefined, [id]);
    return;
  }
  await ctx.confirmWrite(`Type ${id} to reset it:`, id);
  await resetPipeline(id, ports);
  ctx.out.note({
    text: `The platform accepted the reset of pipeline ${id}. Its next run:`,
    command: `cdpadm pipelines trigger ${id} --wait`,
  });
  await ctx.out.emit({ pipeline_id: id, reset_type: 'full', accepted: true, target } satisfies ResetResult, view);
}
