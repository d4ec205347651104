// `groups delete`: takes a group definition away.
import { Command } from 'commander';
import { type DeletedResource, deletedView } from '../../lib/render/deleted.ts';
import { groupView } from '../../lib/render/groups.ts';
import { drawRecord, filledColumns } from '../../lib/render/table.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { TARGET_JSON, withHelp } from '../../lib/runtime/command-line/help.ts';
import { groupCalls } from '../../lib/workflows/groups-write.ts';
import { deleteConfirmed } from '../../lib/workflows/resource-write.ts';
import { findGroup } from './apply.ts';

export function deleteCommand(ctx: Context): Command {
  const command = new Command('delete')
    .description('delete a group definition')
    .argument('<group_id>', 'the id of the group')
    .action((groupId: string) => deleteGroup(ctx, groupId));
  return withHelp(command, {
    calls: 'platform',
    columns: deletedView.columns,
    notes: ['The shared attributes of its members go with it.'],
    examples: ['cdpadm groups delete household --dry-run', 'cdpadm groups delete household --yes'],
    json: `{"id","deleted":true,${TARGET_JSON}}`,
    exits: { 5: 'there is no such group', 12: 'you answered no' },
  });
}

async function deleteGroup(ctx: Context, groupId: string): Promise<void> {
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
