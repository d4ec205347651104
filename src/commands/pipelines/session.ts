// Ports, flags and errors that the commands about pipeline runs share.
import { pickResource } from '../pick.ts';
import type { Api } from '../../lib/api/index.ts';
import type { RunReply } from '../../lib/contract/pipeline-runs.ts';
import { isNotFound, usageError } from '../../lib/kernel/errors.ts';
import { runSparkline, wantsPlainSigns } from '../../lib/render/pipelines.ts';
import type { ArgSpec, FlagSpec } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { TriggerPorts } from '../../lib/workflows/pipelines-run.ts';
import { warehouseCalls } from '../../lib/workflows/warehouse-apply.ts';
import { findResource } from '../find-resource.ts';

export const pipelineArg = {
  pipeline_id: { help: 'id of the pipeline', pick: pickResource('pipeline') },
} as const satisfies Record<string, ArgSpec>;

export const pollFlag = {
  poll: { value: 'duration', help: 'interval between reads; the first intervals are shorter', default: '5s' },
} as const satisfies Record<string, FlagSpec>;

export async function runPorts(ctx: Context): Promise<TriggerPorts> {
  const api: Api = await ctx.api();
  return { api: api.pipelines, clock: ctx.clock, signal: ctx.signal, out: ctx.out };
}

/** Checks that a run id is a number. Throws usage (2). */
export function runIdOf(text: string): string {
  if (/^\d{1,19}$/.test(text)) return text;
  throw usageError(`Invalid run id \`${text}\`: it must be a number.`, {
    text: 'To list the runs of a pipeline:',
    command: 'cdpadm pipelines runs PIPELINE_ID',
  });
}

/** Throws not found (5) with the nearest id if the pipeline does not exist. */
export async function requirePipeline(ctx: Context, id: string) {
  return await findResource(ctx, warehouseCalls(await ctx.api(), 'pipeline'), id);
}

/** Returns the result of `call`. If the pipeline does not exist, throws the same error as `requirePipeline`. */
export async function onPipeline<T>(ctx: Context, id: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) await requirePipeline(ctx, id);
    throw error;
  }
}

/** True if the last runs are shown as a line of symbols: only for a table on a terminal. */
export function wantsRuns({ flags, io }: Context): boolean {
  return flags.output === 'table' && !flags.quiet && !flags.curl && io.tty.stderr;
}

export function tellRuns(ctx: Context, runs: readonly RunReply[]): void {
  if (!wantsRuns(ctx) || runs.length === 0) return;
  ctx.out.note(runSparkline(runs, wantsPlainSigns(ctx.io.env)));
}
