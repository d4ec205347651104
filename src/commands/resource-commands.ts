// Commands shared by connections, data models and pipelines.
import * as z from 'zod/mini';
import { ConnectionReply } from '../lib/contract/connections.ts';
import { DataModelReply } from '../lib/contract/data-models.ts';
import { PipelineReply } from '../lib/contract/pipelines.ts';
import { comparable, GROUPS, NOUNS, type ResourceType, withHiddenSecrets } from '../lib/domain/warehouse/definition.ts';
import { renderChange, resourceListView, resourceView } from '../lib/render/warehouse.ts';
import { type CommandRecord, defineCommand, type Definition } from '../lib/runtime/command-line/define-command.ts';
import { pickResource } from './pick.ts';
import { definitionFlags } from './definition-flags.ts';
import { deleteResource, findResource } from './find-resource.ts';
import { createResource, updateResource } from './resource-change.ts';
import { deletedResult, deletedView } from './results.ts';
import { changedFields } from '../lib/domain/field-changes.ts';
import type { Context } from '../lib/runtime/context.ts';
import { type ResourceReply, warehouseCalls } from '../lib/workflows/warehouse-apply.ts';
import { fail } from '../lib/errors/fail.ts';

const REPLIES = { connection: () => ConnectionReply, data_model: () => DataModelReply, pipeline: () => PipelineReply };

type Own = Pick<CommandRecord, 'examples' | 'exits' | 'notes'>;

/** If `flags` select part of the list, `read` returns that part. */
interface OwnList extends Own {
  flags?: CommandRecord['flags'];
  read?(ctx: Context, flags: Readonly<Record<string, string | undefined>>): Promise<readonly object[]>;
}

export function resourceCommands(
  type: ResourceType,
  { list, ...own }: Record<'get' | 'create' | 'update' | 'delete', Own> & { list: OwnList },
  updateFlags: CommandRecord['flags'] = {},
): Definition[] {
  const [group, noun] = [GROUPS[type], NOUNS[type]];
  const known = { id: { name: `${type}_id`, help: `id of the ${noun}`, pick: pickResource(type) } };
  const missing = { notFound: `the ${noun} does not exist` };
  const shown = { calls: 'platform', output: REPLIES[type], view: () => resourceView(type) } as const;
  const filed = {
    invalidInput: 'the file is invalid',
    guard: 'the file contains a reference that is not allowed, or you answered no',
  };
  return [
    defineCommand({
      path: `${group} list`,
      summary: `list the ${noun}s of the workspace`,
      effect: 'read',
      calls: 'platform',
      output: () => z.array(REPLIES[type]()),
      examples: list.examples,
      flags: list.flags ?? {},
      run: async (ctx, { flags }) => {
        const replies =
          list.read?.(ctx, flags as Record<string, string | undefined>) ??
          warehouseCalls(await ctx.api(), type).list(ctx.signal);
        return (await replies).map((reply) => withHiddenSecrets(type, reply as ResourceReply));
      },
      view: () => resourceListView(type),
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
      tool: ['file'],
      summary: `create a ${noun} from a file, flags, or both`,
      effect: 'write',
      ...shown,
      args: { id: { name: `${type}_id`, optional: true, help: `id of the new ${noun} (default: the id in the file)` } },
      flags: definitionFlags(type),
      ...own.create,
      exits: {
        failed: `the platform rejected the ${noun}`,
        usage: 'a required field is missing',
        conflict: 'the id is already in use',
        ...filed,
        ...own.create.exits,
      },
      run: (ctx, { args, flags }) => createResource(ctx, type, args.id, flags),
    }),
    defineCommand({
      path: `${group} update`,
      tool: ['file'],
      summary: `replace a ${noun} from a file, or change individual fields with flags`,
      effect: 'write',
      ...shown,
      args: known,
      flags: { ...definitionFlags(type), ...updateFlags },
      ...own.update,
      exits: { ...missing, conflict: `another admin changed the ${noun}`, ...filed, ...own.update.exits },
      run: (ctx, { args, flags }) => updateResource(ctx, type, args.id, flags),
    }),
    defineCommand({
      path: `${group} delete`,
      summary: `delete a ${noun}`,
      effect: 'write',
      calls: 'platform',
      args: known,
      output: deletedResult,
      undoNote: 'The deleted definition is not saved. Create it again from a file.',
      ...own.delete,
      exits: {
        ...missing,
        conflict: `another admin changed the ${noun}`,
        guard: 'you answered no',
        ...own.delete.exits,
      },
      run: async (ctx, { args: { id } }) => {
        const calls = warehouseCalls(await ctx.api(), type);
        return await deleteResource(ctx, id, calls, {
          find: async () => {
            const live = await findResource(ctx, calls, id);
            await checkUnused(ctx, type, id);
            return live;
          },
          draw: (live, style) =>
            renderChange(`- delete ${noun} ${id}`, changedFields(comparable(type, live), {}), [], style),
          question: `Delete ${noun} ${id}?`,
        });
      },
      view: () => deletedView,
    }),
  ];
}

/** Throws conflict (6) if a pipeline uses the resource. */
async function checkUnused(ctx: Context, type: ResourceType, id: string): Promise<void> {
  if (type === 'pipeline') return;
  const users = await warehouseCalls(await ctx.api(), 'pipeline').list(ctx.signal);
  const using = users.filter((it) => it[`${type}_id`] === id).map((it) => it.id);
  if (using.length === 0) return;
  throw fail('warehouse.in_use', {
    message: `The ${NOUNS[type]} ${id} is used by ${using.join(', ')}. Nothing was changed.`,
    hint: 'Delete these pipelines first, or change what they use.',
  });
}
