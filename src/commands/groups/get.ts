// `groups get`: one group definition.
import { Command } from 'commander';
import { groupView } from '../../lib/render/groups.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { findGroup } from './apply.ts';

export function getCommand(ctx: Context): Command {
  const command = new Command('get')
    .description('show one group definition')
    .argument('<group_id>', 'the id of the group')
    .action(async (groupId: string) => {
      await ctx.out.emit(await findGroup(ctx, groupId), groupView);
    });
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    notes: [
      'A group instance holds at most 10 users: of those that share a value, the first 10 by profile id. The platform recomputes the members weekly.',
    ],
    examples: ['cdpadm groups get household', 'cdpadm groups get household -o yaml'],
    json: '{"id","description","source_user_attribute","attributes":[{"id","type"}],"created_on","created_by","last_modified_on","last_modified_by"}',
    exits: { 5: 'there is no such group' },
  });
}
