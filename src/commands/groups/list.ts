// `groups list`: the group definitions of the workspace.
import { Command } from 'commander';
import { groupListView } from '../../lib/render/groups.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';

export function listCommand(ctx: Context): Command {
  const command = new Command('list').description('list the group definitions of the workspace').action(async () => {
    const api = await ctx.api();
    await ctx.out.emit(await api.groups.list(ctx.signal), groupListView);
  });
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    columns: () => groupListView.columns,
    examples: ['cdpadm groups list', 'cdpadm groups list -o json --query "[].id"'],
    json: '[{"id","description","source_user_attribute","attributes":[{"id","type"}],"created_on","created_by","last_modified_on","last_modified_by"}]',
  });
}
