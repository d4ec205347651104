// `groups update`: replaces a group definition by the one in a file.
import { Command } from 'commander';
import { groupView } from '../../lib/render/groups.ts';
import { planGroup } from '../../lib/domain/groups/plan.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { applyGroup, findGroup, readGroup } from './apply.ts';

export function updateCommand(ctx: Context): Command {
  const command = new Command('update')
    .description('replace a group definition (PUT)')
    .argument('<group_id>', 'the id of the group')
    .requiredOption('-f, --file <file>', 'the definition, YAML or JSON; - is standard input')
    .action((groupId: string, flags: { file: string }) => updateGroup(ctx, groupId, flags.file));
  return withHelp(command, {
    calls: 'platform',
    columns: groupView.columns,
    examples: [
      'cdpadm groups update household -f group.yaml',
      'cdpadm groups update household -f group.yaml --dry-run',
    ],
    json: '{"id","description","source_user_attribute","attributes":[{"id","type"}],…}',
    exits: {
      5: 'there is no such group',
      6: 'somebody changed it meanwhile',
      9: 'the file is invalid',
      12: 'you answered no',
    },
  });
}

async function updateGroup(ctx: Context, groupId: string, file: string): Promise<void> {
  const wanted = await readGroup(ctx, file, groupId);
  const live = await findGroup(ctx, groupId);
  const plan = planGroup(live, wanted);
  await applyGroup(ctx, { plan: plan.method === null ? plan : { ...plan, method: 'PUT' }, live, wanted });
}
