// `groups delete`: takes a group definition away.
import { type DeletedResource, deletedView } from '../../lib/render/deleted.ts';
import { groupView } from '../../lib/render/groups.ts';
import { drawRecord, filledColumns } from '../../lib/render/table.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { groupCalls } from '../../lib/workflows/groups-write.ts';
import { deleteConfirmed } from '../../lib/workflows/resource-write.ts';
import { deletedResult } from '../results.ts';
import { findGroup, groupArg } from './apply.ts';

export const deleteGroup = defineCommand({
  path: 'groups delete',
  summary: 'delete a group definition',
  effect: 'write',
  calls: 'platform',
  args: groupArg,
  columns: () => deletedView.columns,
  output: deletedResult,
  notes: ['The shared attributes of its members go with it.'],
  examples: ['cdpadm groups delete household --dry-run', 'cdpadm groups delete household --yes'],
  exits: { notFound: 'there is no such group', guard: 'you answered no' },
  run: (ctx, { args }) => deleteOne(ctx, args.group_id),
});

async function deleteOne(ctx: Context, groupId: string): Promise<void> {
  const { groups } = await ctx.api();
  if (ctx.flags.curl) {
    await groups.delete(groupId, ctx.signal);
    return;
  }
  const target = await ctx.startWrite('workspace');
  const group = await findGroup(ctx, groupId);
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([groups.describeDelete(groupId)], undefined, undefined, [groupId]);
    return;
  }
  ctx.out.show((style) => drawRecord(group, filledColumns(group, groupView.columns), style));
  await ctx.confirmWrite(`Delete group ${groupId} and what its members share?`);
  await deleteConfirmed(groupId, groupCalls(groups), { tell: ctx.out, signal: ctx.signal });
  const result: DeletedResource = { id: groupId, deleted: true, target };
  await ctx.out.emit(result, deletedView);
}
