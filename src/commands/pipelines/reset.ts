// `pipelines reset`: resets the sync position, so that the next run reads all data again.
import { literal, object, string } from 'zod/mini';
import { describeReread } from '../../lib/domain/warehouse/definition.ts';
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

export const resetPosition = defineCommand({
  path: 'pipelines reset',
  summary: 'reset the sync position, so that the next run reads all data again',
  effect: 'write',
  calls: 'platform',
  args: pipelineArg,
  flags: { type: { value: 'type', help: 'what to reset', choices: ['full'], default: 'full' } },
  output: resetResult,
  notes: ['Type the id of the pipeline to confirm, or pass it with --confirm. --yes is not enough.'],
  examples: ['cdpadm pipelines reset customers --dry-run', 'cdpadm pipelines reset customers --confirm customers'],
  exits: {
    usage: 'the id was not confirmed',
    notFound: 'the pipeline does not exist',
    conflict: 'the pipeline is not idle',
    network: 'the response was lost; the reset is not sent again',
    guard: 'another id was typed',
  },
  run: (ctx, { args }) => reset(ctx, args.pipeline_id),
  view: {
    kind: 'record',
    columns: [
      { key: 'pipeline_id', id: true, value: (it) => it.pipeline_id },
      { key: 'reset_type', value: (it) => it.reset_type },
      { key: 'accepted', value: (it) => it.accepted },
    ],
  },
});

async function reset(ctx: Context, id: string): Promise<WithTarget<typeof resetResult> | undefined> {
  const ports = await runPorts(ctx);
  if (ctx.flags.curl) {
    await ports.api.reset(id, { signal: ctx.signal });
    return undefined;
  }
  const target = await ctx.startWrite('workspace');
  const pipeline = await requirePipeline(ctx, id);
  ctx.out.warn(describeReread(pipeline));
  if (ctx.flags.dryRun) return await ctx.out.emitDryRun([ports.api.describeReset(id)], undefined, undefined, [id]);
  await ctx.confirmWrite(`Type ${id} to reset it:`, id);
  await resetPipeline(id, ports);
  ctx.out.note({
    text: `The platform accepted the reset of pipeline ${id}. Its next run:`,
    command: `cdpadm pipelines trigger ${id} --wait`,
  });
  return { pipeline_id: id, reset_type: 'full', accepted: true, target };
}
