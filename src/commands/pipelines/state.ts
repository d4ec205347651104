// `pipelines pause`, `resume` and `reset`: change the state or the sync position of a pipeline.
import { PipelineReply } from '../../lib/contract/pipelines.ts';
import { resourceView } from '../../lib/render/warehouse.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { warehouseCalls } from '../../lib/workflows/warehouse-apply.ts';
import { readFieldFlags } from '../definition-flags.ts';
import { readSource } from '../definition-input.ts';
import { findResource } from '../find-resource.ts';
import { writeResource } from '../resource-change.ts';
import { pipelineArg, requirePipeline, runPorts } from './session.ts';
import * as z from 'zod/mini';
import { describeReread } from '../../lib/domain/warehouse/definition.ts';
import { resetPipeline } from '../../lib/workflows/pipelines-run.ts';
import { workspaceTarget } from '../results.ts';
import { fields } from '../../lib/render/view.ts';

function stateCommand(path: string, state: 'active' | 'paused', summary: string) {
  return defineCommand({
    path,
    summary,
    effect: 'write',
    calls: 'platform',
    args: pipelineArg,
    flags: {
      // A PUT sends the whole pipeline, so it needs the key that the platform masks.
      partnerFeedKeyFrom: { value: 'reference', help: 'reference to the feed key, if the platform masks it' },
    },
    output: () => PipelineReply,
    examples: [`cdpadm ${path} customers`, `cdpadm ${path} customers --dry-run`],
    exits: {
      notFound: 'the pipeline does not exist',
      conflict: 'another admin changed the pipeline',
      guard: 'you answered no',
    },
    run: async (ctx, { args: { pipeline_id: id }, flags }) => {
      const given = await readFieldFlags(ctx, 'pipeline', { ...flags });
      const live = await findResource(ctx, warehouseCalls(await ctx.api(), 'pipeline'), id);
      const fields = [...given, { flag: 'state', path: ['state'], value: state }];
      const source = await readSource(ctx, 'pipeline', { id, file: undefined, fields, live, allowCommands: false });
      return await writeResource(ctx, source, live);
    },
    view: () => resourceView('pipeline'),
  });
}

export const pausePipeline = stateCommand(
  'pipelines pause',
  'paused',
  'stop a pipeline from syncing until it is resumed',
);
export const resumePipeline = stateCommand('pipelines resume', 'active', 'resume a paused pipeline');

export const resetPosition = defineCommand({
  path: 'pipelines reset',
  summary: 'reset the sync position, so that the next run reads all data again',
  undoNote: 'No command restores the previous sync position.',
  effect: 'write',
  byPerson: true,
  tool: ['type'],
  calls: 'platform',
  args: pipelineArg,
  flags: { type: { value: 'type', help: 'what to reset', choices: ['full'], default: 'full' } },
  output: () =>
    z.object({
      pipeline_id: z.string(),
      reset_type: z.literal('full'),
      accepted: z.literal(true),
      target: workspaceTarget(),
    }),
  notes: ['To confirm, type the id of the pipeline, or pass the id with --confirm. --yes is not enough.'],
  examples: ['cdpadm pipelines reset customers --dry-run', 'cdpadm pipelines reset customers --confirm customers'],
  exits: {
    usage: 'the id was not confirmed',
    notFound: 'the pipeline does not exist',
    network: 'the response was lost; the reset is not sent again',
    guard: 'a different id was typed',
  },
  run: async (ctx, { args: { pipeline_id: id } }) => {
    const ports = await runPorts(ctx);
    if (ctx.flags.curl) {
      await ports.api.reset(id, { signal: ctx.signal });
      return undefined;
    }
    const target = await ctx.startWrite('workspace');
    ctx.out.warn(describeReread(await requirePipeline(ctx, id)));
    if (ctx.flags.dryRun) return await ctx.out.emitDryRun([ports.api.describeReset(id)], undefined, undefined, [id]);
    await ctx.confirmWrite(`Type ${id} to reset it:`, { typed: id });
    await resetPipeline(id, ports);
    ctx.out.note({
      text: `The platform accepted the reset of pipeline ${id}. To run the pipeline:`,
      command: `cdpadm pipelines trigger ${id} --wait`,
    });
    return { pipeline_id: id, reset_type: 'full', accepted: true, target };
  },
  view: {
    kind: 'record',
    columns: [{ key: 'pipeline_id', id: true, value: (it) => it.pipeline_id }, ...fields('reset_type', 'accepted')],
  },
});
