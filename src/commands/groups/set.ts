// `groups set`: makes the workspace's group definition say what a file says, by the least call.
import { Command } from 'commander';
import { groupView } from '../../lib/render/groups.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { applyGroup, planWanted, readGroup } from './apply.ts';

export function setCommand(ctx: Context): Command {
  const command = new Command('set')
    .description('create, replace or patch a group definition, whichever is least')
    .requiredOption('-f, --file <file>', 'the definition, YAML or JSON; - is standard input')
    .action(async (flags: { file: string }) => {
      await applyGroup(ctx, await planWanted(ctx, await readGroup(ctx, flags.file)));
    });
  return withHelp(command, {
    calls: 'platform',
    columns: groupView.columns,
    notes: [
      'POST when there is no group of this id, PATCH when the attributes alone differ, PUT for anything else, and nothing when all is as wanted.',
    ],
    examples: ['cdpadm groups set -f group.yaml', 'cdpadm groups set -f group.yaml --dry-run'],
    json: '{"id","description","source_user_attribute","attributes":[{"id","type"}],…}',
    exits: { 6: 'somebody changed the group meanwhile', 9: 'the file is invalid', 12: 'you answered no' },
  });
}
