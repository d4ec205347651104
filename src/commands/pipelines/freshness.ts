// Reports the age of a pipeline's data and fails if it is stale.
import { ageOf, lagOf } from '../../lib/domain/warehouse/runs.ts';
import { formatDuration } from '../../lib/kernel/timestamps.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { fail } from '../../lib/errors/fail.ts';

/** Shows the age of the last success by the platform's clock. Throws failed (1) if it is older than `staleAfter` milliseconds. */
export async function tellFreshness(ctx: Context, id: string, staleAfter: number | undefined): Promise<void> {
  if (staleAfter === undefined && ctx.flags.quiet) return;
  const { pipelines } = await ctx.api();
  const { body, date } = await pipelines.reportDated(id, ctx.signal);
  const last = body.latest_successful_pipeline_run_id;
  const success = last === null || last === undefined ? undefined : await pipelines.run(id, last, ctx.signal);
  const now = date ?? ctx.clock.now();
  const age = ageOf(success, now);
  const lag = lagOf(success, now);
  const behind = lag === undefined ? '' : `; its newest data is from ${ago(lag)}`;
  const told = age === undefined ? 'No run has succeeded.' : `Last success ${ago(age)}${behind}.`;
  ctx.out.note(told);
  if (staleAfter === undefined || (age !== undefined && age <= staleAfter)) return;
  throw fail('pipelines.stale', {
    message: `The data of pipeline ${id} is stale. ${told} The limit is ${formatDuration(staleAfter)}.`,
    hint: { text: 'To see why:', command: `cdpadm pipelines doctor ${id}` },
  });
}

function ago(ms: number): string {
  return ms < 1000 ? 'just now' : `${formatDuration(ms)} ago`;
}
