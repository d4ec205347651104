// Reads a definition from a file in the deployment's words, and reads or deletes the resource with an id.
import { causedBy, fail } from '../lib/errors/fail.ts';
import type { ErrorCode } from '../lib/errors/registry.ts';
import { type Hint, isNotFound } from '../lib/kernel/errors.ts';
import { nearestHint } from '../lib/kernel/nearest.ts';
import type { Context } from '../lib/runtime/context.ts';
import { type ResourceCalls, resourceWriter } from '../lib/workflows/resource-write.ts';
import type { deletedResult, WithTarget } from './results.ts';
import type { Style } from '../lib/render/style.ts';
import type { Api } from '../lib/api/index.ts';
import type { Endpoint } from '../lib/contract/endpoint.ts';
import { invalidDocument, loadDocument, withoutSchemaHint } from '../lib/files/load.ts';
import { isRecord } from '../lib/kernel/json.ts';
import { createWireNames } from '../lib/contract/names.ts';

/** Returns the resource with this id. Throws not found (5), with the nearest id if the list can be read. */
export async function findResource<Reply extends { id: string }>(
  ctx: Context,
  calls: Pick<ResourceCalls<Reply, never>, 'noun' | 'group' | 'get' | 'list'>,
  id: string,
  code: ErrorCode = 'warehouse.not_found',
): Promise<Reply> {
  try {
    return await calls.get(id, ctx.signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const known = await calls.list(ctx.signal).catch((failure: unknown) => {
      throw ctx.signal.aborted ? failure : error;
    });
    const ids = known.map((it) => it.id);
    // A new resource can be in the list before a read finds it.
    if (ids.includes(id)) throw error;
    const list: Hint = { text: `To list ${calls.noun}s:`, command: `cdpadm ${calls.group} list` };
    throw fail(code, {
      message: `The ${calls.noun} ${id} does not exist in this workspace.`,
      hint: nearestHint(id, ids, list),
      ...causedBy(error),
    });
  }
}

interface Deletion<Reply> {
  /** Reads the resource. Throws if it may not be deleted. */
  find(): Promise<Reply>;
  draw(live: Reply, style: Style): string;
  question: string;
}

/** Shows the resource, asks for confirmation, and deletes it. */
export async function deleteResource<Reply extends { id: string }>(
  ctx: Context,
  id: string,
  calls: ResourceCalls<Reply, never> & Pick<Api['pipelines'], 'describeDelete'>,
  { find, draw, question }: Deletion<Reply>,
): Promise<WithTarget<typeof deletedResult> | undefined> {
  if (ctx.flags.curl) {
    await calls.delete(id, ctx.signal);
    return undefined;
  }
  const target = await ctx.startWrite('workspace');
  const live = await find();
  if (ctx.flags.dryRun) return await ctx.out.emitDryRun([calls.describeDelete(id)], undefined, undefined, [id]);
  ctx.out.show((style) => draw(live, style));
  await ctx.confirmWrite(question);
  await resourceWriter(calls, ctx).delete(id, live);
  return { id, deleted: true, target };
}

/** Returns the document and its unchecked value, with neutral words and without `$schema`. */
export async function loadDefinition(ctx: Context, path: string, endpoint: Endpoint, what: string) {
  const document = await loadDocument(path, ctx);
  const value = await inNeutralWords(ctx, endpoint, withoutSchemaHint(document.value));
  if (!isRecord(value)) {
    throw invalidDocument(document, what, [{ path: [], message: `a ${what} must be a map of fields` }]);
  }
  return { document, value };
}

/** Translates the contents of a file (a body for this endpoint) to neutral words. Neutral words stay unchanged. */
export async function inNeutralWords(ctx: Context, endpoint: Endpoint, value: unknown): Promise<unknown> {
  const { names } = await ctx.settings();
  return createWireNames(names).decode(value, endpoint.names?.body ?? []);
}
