// `pipelines pause` and `resume`: change the state of a pipeline.
import { PipelineReply } from '../../lib/contract/pipelines.ts';
import { resourceView } from '../../lib/render/warehouse.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { warehouseCalls } from '../../lib/workflows/warehouse-calls.ts';
import { readFieldFlags } from '../definition-flags.ts';
import { readSource } from '../definition-input.ts';
import { findResource, writeChange } from '../resource-change.ts';
import { pipelineArg } from './session.ts';

function stateCommand(path: string, state: 'active' | 'paused', summary: string) {
  return defineCommand({
    path,
    summary,
    effect: 'write',
    calls: 'platform',
    args: pipelineArg,
    flags: {
      // A PUT sends the whole pipeline, so it needs a key that the platform masks.
      partnerFeedKeyFrom: { value: 'reference', help: 'reference to the key of the feed, if the platform masks it' },
    },
    output: () => PipelineReply,
    examples: [`cdpadm ${path} customers`, `cdpadm ${path} customers --dry-run`],
    exits: {
      notFound: 'the pipeline does not exist',
      conflict: 'another admin changed it',
      guard: 'you answered no',
    },
    run: (ctx, { args, flags }) => setState(ctx, args.pipeline_id, state, flags),
    view: () => resourceView('pipeline'),
  });
}

export const pausePipeline = stateCommand(
  'pipelines pause',
  'paused',
  'stop a pipeline from syncing until it is resumed',
);
export const resumePipeline = stateCommand('pipelines resume', 'active', 'resume a paused pipeline');

async function setState(ctx: Context, id: string, state: 'active' | 'paused', flags: { partnerFeedKeyFrom?: string }) {
  const given = await readFieldFlags(ctx, 'pipeline', { ...flags });
  const live = await findResource(ctx, warehouseCalls(await ctx.api(), 'pipeline'), id);
  const fields = [...given, { flag: 'state', path: ['state'], value: state }];
  const source = await readSource(ctx, 'pipeline', { id, file: undefined, fields, live, allowCommands: false });
  return await writeChange(ctx, 'pipeline', live, source);
}
