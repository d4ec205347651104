// What the commands of connections, data models and pipelines share in reading.
import { GROUPS, type ResourceType, withHiddenSecrets } from '../lib/domain/warehouse/definition.ts';
import { isNotFound } from '../lib/kernel/errors.ts';
import { nearestHint } from '../lib/kernel/nearest.ts';
import { resourceListView, resourceView } from '../lib/render/warehouse.ts';
import type { Context } from '../lib/runtime/context.ts';
import { type ResourceReply, type WarehouseCalls, warehouseCalls } from '../lib/workflows/warehouse-calls.ts';
import { fail } from '../lib/errors/fail.ts';

/** Prints resources, whatever must not be seen hidden. */
export async function emitList(ctx: Context, type: ResourceType, replies: readonly object[]): Promise<void> {
  const shown = replies.map((reply) => withHiddenSecrets(type, reply as ResourceReply));
  await ctx.out.emit(shown, resourceListView(type));
}

export async function emitResource(ctx: Context, type: ResourceType, reply: object): Promise<void> {
  await ctx.out.emit(withHiddenSecrets(type, reply as ResourceReply), resourceView(type));
}

export async function listResources(ctx: Context, type: ResourceType): Promise<void> {
  await emitList(ctx, type, await warehouseCalls(await ctx.api(), type).list(ctx.signal));
}

export async function getResource(ctx: Context, type: ResourceType, id: string): Promise<void> {
  await emitResource(ctx, type, await findResource(ctx, warehouseCalls(await ctx.api(), type), id));
}

/** The resource of this id; KnownError not found (5) with the nearest id otherwise. */
export async function findResource(ctx: Context, calls: WarehouseCalls, id: string): Promise<ResourceReply> {
  try {
    return await calls.get(id, ctx.signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const known = (await calls.list(ctx.signal)).map((it) => it.id);
    throw fail('warehouse.not_found', {
      message: `There is no ${calls.noun} ${id} in this workspace.`,
      hint: nearestHint(id, known, {
        text: 'To list them all:',
        command: `cdpadm ${GROUPS[calls.type]} list`,
      }),
      status: 404,
      ...(error.request && { request: error.request }),
      cause: error,
    });
  }
}
