// `groups delete`: deletes a group definition.
import { deletedView } from '../../lib/render/deleted.ts';
import { groupView } from '../../lib/render/groups.ts';
import { drawRecord, filledColumns } from '../../lib/render/table.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
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
  output: deletedResult,
  notes: ['Its members lose their shared attributes.'],
  examples: ['cdpadm groups delete household --dry-run', 'cdpadm groups delete household --yes'],
  exits: { notFound: 'group not found', guard: 'you answered no' },
  run: async (ctx, { args: { group_id: id } }) => {
    const { groups } = await ctx.api();
    if (ctx.flags.curl) {
      await groups.delete(id, ctx.signal);
      return undefined;
    }
    const target = await ctx.startWrite('workspace');
    const group = await findGroup(ctx, id);
    if (ctx.flags.dryRun) {
      return await ctx.out.emitDryRun([groups.describeDelete(id)], undefined, undefined, [id]);
    }
    ctx.out.show((style) => drawRecord(group, filledColumns(group, groupView.columns), style));
    await ctx.confirmWrite(`Delete group ${id} and the attributes that its members share?`);
    await deleteConfirmed(id, groupCalls(groups), { tell: ctx.out, signal: ctx.signal });
    return { id, deleted: true as const, target };
  },
  view: () => deletedView,
});
