// What the commands about runs share: the ports, the poll interval, a pipeline that is not there.
import type { Api } from '../../lib/api/index.ts';
import type { RunReply } from '../../lib/contract/pipeline-runs.ts';
import { isNotFound, usageError } from '../../lib/kernel/errors.ts';
import { runSparkline, wantsPlainSigns } from '../../lib/render/sparkline.ts';
import type { ArgSpec, FlagSpec } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { TriggerPorts } from '../../lib/workflows/pipelines-trigger.ts';
import { warehouseCalls } from '../../lib/workflows/warehouse-calls.ts';
import { findResource } from '../resource-read.ts';

export const pipelineArg = {
  pipeline_id: { help: 'the id of the pipeline' },
} as const satisfies Record<string, ArgSpec>;

export const pollFlag = {
  poll: { value: 'duration', help: 'how often to look, sooner at first', default: '5s' },
} as const satisfies Record<string, FlagSpec>;

export async function runPorts(ctx: Context): Promise<TriggerPorts> {
  const api: Api = await ctx.api();
  return { api: api.pipelines, clock: ctx.clock, signal: ctx.signal, tell: ctx.out };
}

/** The id of a run as it was typed: a number. Throws usage (2) for what cannot be one. */
export function runIdOf(text: string): string {
  if (/^\d{1,19}$/.test(text)) return text;
  throw usageError(`\`${text}\` is no id of a run: those are numbers.`, {
    text: 'To list the runs of a pipeline:',
    command: 'cdpadm pipelines runs PIPELINE_ID',
  });
}

/** Throws not found (5) with the nearest id when the platform does not know the pipeline. */
export async function requirePipeline(ctx: Context, id: string) {
  return await findResource(ctx, warehouseCalls(await ctx.api(), 'pipeline'), id);
}

/** What `deed` gives; where the platform does not find what it is about, and that is the pipeline, as `requirePipeline`. */
export async function onPipeline<T>(ctx: Context, id: string, deed: Promise<T>): Promise<T> {
  try {
    return await deed;
  } catch (error) {
    if (isNotFound(error)) await requirePipeline(ctx, id);
    throw error;
  }
}

/** Whether anybody looks at a line of signs: a list drawn for people, once, and messages wanted. */
export function wantsRuns({ flags, io }: Context): boolean {
  return flags.output === 'table' && !flags.quiet && !flags.curl && io.tty.stderr;
}

/** The runs that were read as one line of signs and words. */
export function tellRuns(ctx: Context, runs: readonly RunReply[]): void {
  if (!wantsRuns(ctx) || runs.length === 0) return;
  ctx.out.note(runSparkline(runs, wantsPlainSigns(ctx.io.env)));
}
