// The commands that connections, data models and pipelines share, as records.
import { array } from 'zod/mini';
import { ConnectionReply } from '../lib/contract/connections.ts';
import { DataModelReply } from '../lib/contract/data-models.ts';
import { PipelineReply } from '../lib/contract/pipelines.ts';
import { comparable, GROUPS, NOUNS, type ResourceType, withHiddenSecrets } from '../lib/domain/warehouse/definition.ts';
import { type DeletedResource, deletedView } from '../lib/render/deleted.ts';
import { renderChange, resourceListView, resourceView } from '../lib/render/warehouse.ts';
import { type CommandRecord, defineCommand, type Definition } from '../lib/runtime/command-line/define-command.ts';
import { definitionFlags } from './definition-flags.ts';
import { createResource, findResource, updateResource } from './resource-change.ts';
import { deletedResult } from './results.ts';
import { changedFields } from '../lib/domain/field-changes.ts';
import type { KnownError } from '../lib/kernel/errors.ts';
import type { Context } from '../lib/runtime/context.ts';
import { deleteConfirmed } from '../lib/workflows/resource-write.ts';
import { type ResourceReply, warehouseCalls } from '../lib/workflows/warehouse-calls.ts';
import { fail } from '../lib/errors/fail.ts';

const REPLIES = {
  connection: () => ConnectionReply,
  data_model: () => DataModelReply,
  pipeline: () => PipelineReply,
};

/** The texts of one command that its kind adds. */
type Own = Pick<CommandRecord, 'examples' | 'exits' | 'notes'>;

/** The part of `list` that `connections list` shares, which has a flag. */
export function listRecord(type: ResourceType) {
  return {
    path: `${GROUPS[type]} list`,
    summary: `list the ${NOUNS[type]}s of the workspace`,
    effect: 'read',
    calls: 'platform',
    output: () => array(REPLIES[type]()),
    view: () => resourceListView(type),
  } as const;
}

/** The list with its secrets masked. */
export function hidden(type: ResourceType, replies: readonly object[]): ResourceReply[] {
  return replies.map((reply) => withHiddenSecrets(type, reply as ResourceReply));
}

/** The commands `list`, `get`, `create`, `update` and `delete` of one kind, in this order. */
export function resourceCommands(
  type: ResourceType,
  own: Record<'get' | 'create' | 'update' | 'delete', Own> & { list: Own | Definition },
  updateFlags: CommandRecord['flags'] = {},
): Definition[] {
  const [group, noun] = [GROUPS[type], NOUNS[type]];
  const known = { id: { name: `${type}_id`, help: `id of the ${noun}` } };
  const missing = { notFound: `the ${noun} does not exist` };
  const shown = { calls: 'platform', output: REPLIES[type], view: () => resourceView(type) } as const;
  const filed = {
    invalidInput: 'the file is invalid',
    guard: 'a reference in the file is not allowed, or you answered no',
  };
  return [
    'build' in own.list
      ? own.list
      : defineCommand({
          ...listRecord(type),
          ...own.list,
          run: async (ctx) => hidden(type, await warehouseCalls(await ctx.api(), type).list(ctx.signal)),
        }),
    defineCommand({
      path: `${group} get`,
      summary: `show one ${noun}`,
      effect: 'read',
      ...shown,
      args: known,
      exits: missing,
      ...own.get,
      run: async (ctx, { args }) =>
        withHiddenSecrets(type, await findResource(ctx, warehouseCalls(await ctx.api(), type), args.id)),
    }),
    defineCommand({
      path: `${group} create`,
      summary: `create a ${noun} from a file, flags, or both`,
      effect: 'write',
      ...shown,
      args: { id: { name: `${type}_id`, optional: true, help: `id of the new ${noun} (default: the id in the file)` } },
      flags: definitionFlags(type),
      ...own.create,
      exits: {
        failed: 'the platform rejected it',
        usage: 'a required field is missing',
        conflict: 'the id is taken',
        ...filed,
        ...own.create.exits,
      },
      run: (ctx, { args, flags }) => createResource(ctx, type, args.id, flags),
    }),
    defineCommand({
      path: `${group} update`,
      summary: `replace a ${noun} with a file, or change single fields with flags`,
      effect: 'write',
      ...shown,
      args: known,
      flags: { ...definitionFlags(type), ...updateFlags },
      ...own.update,
      exits: { ...missing, conflict: 'another admin changed it', ...filed, ...own.update.exits },
      run: (ctx, { args, flags }) => updateResource(ctx, type, args.id, flags),
    }),
    defineCommand({
      path: `${group} delete`,
      summary: `delete a ${noun}`,
      effect: 'write',
      calls: 'platform',
      args: known,
      output: deletedResult,
      ...own.delete,
      exits: { ...missing, guard: 'you answered no', ...own.delete.exits },
      run: (ctx, { args }) => deleteResource(ctx, type, args.id),
      view: () => deletedView,
    }),
  ];
}

/** Shows the resource, asks, and deletes it. Throws conflict (6) if a pipeline uses it. */
async function deleteResource(ctx: Context, type: ResourceType, id: string): Promise<DeletedResource | undefined> {
  const api = await ctx.api();
  const calls = warehouseCalls(api, type);
  if (ctx.flags.curl) {
    await calls.delete(id, ctx.signal);
    return undefined;
  }
  const target = await ctx.startWrite('workspace');
  const live = await findResource(ctx, calls, id);
  const users = type === 'pipeline' ? [] : await warehouseCalls(api, 'pipeline').list(ctx.signal);
  const using = users.filter((it) => it[`${type}_id`] === id).map((it) => it.id);
  if (using.length > 0) throw inUse(type, id, using);
  if (ctx.flags.dryRun) return await ctx.out.emitDryRun([calls.describeDelete(id)], undefined, undefined, [id]);
  ctx.out.show((style) =>
    renderChange(`- delete ${NOUNS[type]} ${id}`, changedFields(comparable(type, live), {}), [], style),
  );
  await ctx.confirmWrite(`Delete ${NOUNS[type]} ${id}?`);
  await deleteConfirmed(id, calls, { tell: ctx.out, signal: ctx.signal });
  return { id, deleted: true, target };
}

function inUse(type: ResourceType, id: string, pipelines: readonly string[]): KnownError {
  return fail('warehouse.in_use', {
    message: `The ${NOUNS[type]} ${id} is used by ${pipelines.join(', ')}. Nothing was changed.`,
    hint: 'Delete these pipelines first, or change what they use.',
  });
}
