// Pausing and resuming: the pipeline as it is, with another state.
import { findMasks, toDefinition } from '../../lib/domain/warehouse/definition.ts';
import { CliError, EXIT } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { warehouseCalls } from '../../lib/workflows/warehouse-calls.ts';
import { findResource, writeChange } from '../resource-commands.ts';

export async function setPipelineState(ctx: Context, id: string, state: 'active' | 'paused'): Promise<void> {
  const live = await findResource(ctx, warehouseCalls(await ctx.api(), 'pipeline'), id);
  const definition = { ...toDefinition(live), state };
  const [mask] = findMasks(definition);
  if (mask) throw masked(id, mask.join('.'));
  await writeChange(ctx, 'pipeline', live, { definition, folder: ctx.io.cwd });
}

/** A PUT sends the whole pipeline, and a mask is never sent. */
function masked(id: string, field: string): CliError {
  return new CliError({
    code: 'pipelines.masked',
    message: `The platform shows ${field} of pipeline ${id} as a mask, so the pipeline cannot be sent back as it is.`,
    hint: `Write it to a file with a reference for ${field} and the new state, then: cdpadm pipelines update ${id} -f FILE`,
    exit: EXIT.conflict,
  });
}
