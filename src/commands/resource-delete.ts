// Deleting a connection, data model or pipeline: nothing that is in use, and what goes is shown before.
import { changedFields } from '../lib/domain/field-changes.ts';
import { comparable, type ResourceType } from '../lib/domain/warehouse/definition.ts';
import type { KnownError } from '../lib/kernel/errors.ts';
import { type DeletedResource, deletedView } from '../lib/render/deleted.ts';
import { renderChange } from '../lib/render/warehouse.ts';
import type { Context } from '../lib/runtime/context.ts';
import { deleteConfirmed } from '../lib/workflows/resource-write.ts';
import { warehouseCalls } from '../lib/workflows/warehouse-calls.ts';
import { NOUNS } from '../lib/domain/warehouse/resource-names.ts';
import { findResource } from './resource-read.ts';
import { fail } from '../lib/errors/fail.ts';

/** Shows it, asks, and deletes it. Throws conflict (6) when a pipeline uses it. */
export async function deleteResource(ctx: Context, type: ResourceType, id: string): Promise<void> {
  const api = await ctx.api();
  const calls = warehouseCalls(api, type);
  if (ctx.flags.curl) {
    await calls.delete(id, ctx.signal);
    return;
  }
  const target = await ctx.startWrite('workspace');
  const live = await findResource(ctx, calls, id);
  if (type !== 'pipeline') {
    const field = `${type}_id`;
    const users = (await warehouseCalls(api, 'pipeline').list(ctx.signal)).filter((it) => it[field] === id);
    if (users.length > 0)
      throw inUse(
        type,
        id,
        users.map((it) => it.id),
      );
  }
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([calls.describeDelete(id)], undefined, undefined, [id]);
    return;
  }
  ctx.out.show((style) =>
    renderChange(`- delete ${NOUNS[type]} ${id}`, changedFields(comparable(type, live), {}), [], style),
  );
  await ctx.confirmWrite(`Delete ${NOUNS[type]} ${id}?`);
  await deleteConfirmed(id, calls, { tell: ctx.out, signal: ctx.signal });
  const result: DeletedResource = { id, deleted: true, target };
  await ctx.out.emit(result, deletedView);
}

function inUse(type: ResourceType, id: string, pipelines: readonly string[]): KnownError {
  return fail('warehouse.in_use', {
    message: `The ${NOUNS[type]} ${id} is used by ${pipelines.join(', ')}; the platform deletes nothing that is in use.`,
    hint: 'Delete those pipelines first, or point them elsewhere. Nothing was changed.',
  });
}
