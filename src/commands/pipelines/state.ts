// `pipelines pause` and `resume`: the pipeline as it is, with another state.
import { PipelineReply } from '../../lib/contract/pipelines.ts';
import { resourceView } from '../../lib/render/warehouse.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { warehouseCalls } from '../../lib/workflows/warehouse-calls.ts';
import { readFieldFlags } from '../definition-flags.ts';
import { readSource } from '../definition-input.ts';
import { writeChange } from '../resource-change.ts';
import { findResource } from '../resource-read.ts';
import { pipelineArg } from './session.ts';

function stateCommand(path: string, state: 'active' | 'paused', summary: string) {
  return defineCommand({
    path,
    summary,
    effect: 'write',
    calls: 'platform',
    args: pipelineArg,
    flags: {
      // A PUT sends the whole pipeline: a key that the platform shows as a mask must come from somewhere.
      partnerFeedKeyFrom: { value: 'reference', help: 'where the key of its feed is, if the platform masks it' },
    },
    columns: () => resourceView('pipeline').columns,
    output: () => PipelineReply,
    examples: [`cdpadm ${path} customers`, `cdpadm ${path} customers --dry-run`],
    exits: {
      notFound: 'there is no such pipeline',
      conflict: 'somebody changed it meanwhile',
      guard: 'you answered no',
    },
    run: (ctx, { args, flags }) => setState(ctx, args.pipeline_id, state, flags),
  });
}

export const pausePipeline = stateCommand(
  'pipelines pause',
  'paused',
  'stop a pipeline from syncing until it is resumed',
);
export const resumePipeline = stateCommand('pipelines resume', 'active', 'let a paused pipeline sync again');

async function setState(
  ctx: Context,
  id: string,
  state: 'active' | 'paused',
  flags: { partnerFeedKeyFrom?: string },
): Promise<void> {
  const given = await readFieldFlags(ctx, 'pipeline', { ...flags });
  const live = await findResource(ctx, warehouseCalls(await ctx.api(), 'pipeline'), id);
  const fields = [...given, { flag: 'state', path: ['state'], value: state }];
  await writeChange(
    ctx,
    'pipeline',
    live,
    await readSource(ctx, 'pipeline', { id, file: undefined, fields, live, allowCommands: false }),
  );
}
