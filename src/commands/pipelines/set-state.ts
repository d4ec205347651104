// Pausing and resuming: the pipeline as it is, with another state.
import type { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { warehouseCalls } from '../../lib/workflows/warehouse-calls.ts';
import { readFieldFlags } from '../definition-flags.ts';
import { readSource } from '../definition-input.ts';
import { writeChange } from '../resource-change.ts';
import { findResource } from '../resource-read.ts';

export interface StateFlags {
  partnerFeedKeyFrom?: string;
}

/** A PUT sends the whole pipeline: a key that the platform shows as a mask must come from somewhere. */
export function withKeyFlag(command: Command): Command {
  return command.option(
    '--partner-feed-key-from <reference>',
    'where the key of its feed is, if the platform masks it',
  );
}

export async function setPipelineState(
  ctx: Context,
  id: string,
  state: 'active' | 'paused',
  flags: StateFlags,
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
