// The commands that connections, data models and pipelines have alike, as records.
import { array } from 'zod/mini';
import { ConnectionReply } from '../lib/contract/connections.ts';
import { DataModelReply } from '../lib/contract/data-models.ts';
import { PipelineReply } from '../lib/contract/pipelines.ts';
import { comparable, GROUPS, NOUNS, type ResourceType } from '../lib/domain/warehouse/definition.ts';
import { type DeletedResource, deletedView } from '../lib/render/deleted.ts';
import { renderChange, resourceListView, resourceView } from '../lib/render/warehouse.ts';
import { type CommandRecord, defineCommand } from '../lib/runtime/command-line/define-command.ts';
import { definitionFlags } from './definition-flags.ts';
import { createResource, updateResource } from './resource-change.ts';
import { findResource, getResource, listResources } from './resource-read.ts';
import { deletedResult } from './results.ts';
import { changedFields } from '../lib/domain/field-changes.ts';
import type { KnownError } from '../lib/kernel/errors.ts';
import type { Context } from '../lib/runtime/context.ts';
import { deleteConfirmed } from '../lib/workflows/resource-write.ts';
import { warehouseCalls } from '../lib/workflows/warehouse-calls.ts';
import { fail } from '../lib/errors/fail.ts';

const REPLIES = {
  connection: () => ConnectionReply,
  data_model: () => DataModelReply,
  pipeline: () => PipelineReply,
};

/** What a kind says of itself. */
type Own = Pick<CommandRecord, 'examples' | 'exits' | 'notes'>;

/** The part of a list command that all kinds share. */
export function listRecord(type: ResourceType) {
  return {
    path: `${GROUPS[type]} list`,
    summary: `list the ${NOUNS[type]}s of the workspace`,
    effect: 'read',
    calls: 'platform',
    columns: () => resourceListView(type).columns,
    output: () => array(REPLIES[type]()),
  } as const satisfies Partial<CommandRecord>;
}

export function listCommand(type: ResourceType, own: Own) {
  return defineCommand({ ...listRecord(type), ...own, run: (ctx) => listResources(ctx, type) });
}

export function getCommand(type: ResourceType, own: Own) {
  return defineCommand({
    path: `${GROUPS[type]} get`,
    summary: `show one ${NOUNS[type]}`,
    effect: 'read',
    calls: 'platform',
    args: { id: idOf(type) },
    columns: () => resourceView(type).columns,
    output: REPLIES[type],
    exits: { notFound: `there is no such ${NOUNS[type]}` },
    ...own,
    run: (ctx, { args }) => getResource(ctx, type, args.id),
  });
}

export function createCommand(type: ResourceType, own: Own) {
  return defineCommand({
    path: `${GROUPS[type]} create`,
    summary: `create a ${NOUNS[type]} from a file, flags, or both`,
    effect: 'write',
    calls: 'platform',
    args: {
      id: { name: `${type}_id`, optional: true, help: `the id of the new ${NOUNS[type]}; a file may hold it` },
    },
    flags: definitionFlags(type),
    columns: () => resourceView(type).columns,
    output: REPLIES[type],
    ...own,
    exits: {
      failed: 'the platform refuses it',
      usage: 'a field that no flag and no file gives',
      conflict: 'there is one of this id already',
      invalidInput: 'the file is invalid',
      guard: 'the file names a command or a file elsewhere, or you answered no',
      ...own.exits,
    },
    run: (ctx, { args, flags }) => createResource(ctx, type, args.id, flags),
  });
}

export function updateCommand(type: ResourceType, own: Own, flags: CommandRecord['flags'] = {}) {
  return defineCommand({
    path: `${GROUPS[type]} update`,
    summary: `replace a ${NOUNS[type]} by a file, or change the fields that flags give`,
    effect: 'write',
    calls: 'platform',
    args: { id: idOf(type) },
    flags: { ...definitionFlags(type), ...flags },
    columns: () => resourceView(type).columns,
    output: REPLIES[type],
    ...own,
    exits: {
      notFound: `there is no such ${NOUNS[type]}`,
      conflict: 'somebody changed it meanwhile',
      invalidInput: 'the file is invalid',
      guard: 'the file names a command or a file elsewhere, or you answered no',
      ...own.exits,
    },
    run: (ctx, input) => updateResource(ctx, type, input.args.id, input.flags),
  });
}

export function deleteCommand(type: ResourceType, own: Own) {
  return defineCommand({
    path: `${GROUPS[type]} delete`,
    summary: `delete a ${NOUNS[type]}`,
    effect: 'write',
    calls: 'platform',
    args: { id: idOf(type) },
    columns: () => deletedView.columns,
    output: deletedResult,
    ...own,
    exits: { notFound: `there is no such ${NOUNS[type]}`, guard: 'you answered no', ...own.exits },
    run: (ctx, { args }) => deleteResource(ctx, type, args.id),
  });
}

/** The argument of a command about one that is there. */
function idOf(type: ResourceType) {
  return { name: `${type}_id`, help: `the id of the ${NOUNS[type]}` };
}

/** Shows it, asks, and deletes it. Throws conflict (6) when a pipeline uses it. */
async function deleteResource(ctx: Context, type: ResourceType, id: string): Promise<void> {
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
