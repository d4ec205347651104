// `groups attributes remove`: shares fewer attributes within a group.
import { Command } from 'commander';
import { groupView } from '../../lib/render/groups.ts';
import { CliError, EXIT } from '../../lib/kernel/errors.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { changeAttributes, readAttribute } from './change-attributes.ts';

export function attributesRemoveCommand(ctx: Context): Command {
  const command = new Command('remove')
    .description('share fewer attributes within a group')
    .argument('<group_id>', 'the id of the group')
    .argument('<attribute...>', 'the ids of the attributes')
    .action((groupId: string, texts: string[]) => {
      const ids = texts.map((text) => readAttribute(text).id);
      return changeAttributes(ctx, groupId, (attributes) => {
        const known = attributes.map(({ id }) => id);
        const unknown = ids.find((id) => !known.includes(id));
        if (unknown !== undefined) throw notShared(groupId, unknown, known);
        return attributes.filter(({ id }) => !ids.includes(id));
      });
    });
  return withHelp(command, {
    calls: 'platform',
    columns: groupView.columns,
    examples: [
      'cdpadm groups attributes remove household lifetime_value',
      'cdpadm groups attributes remove household is_member --dry-run',
    ],
    json: '{"id","description","source_user_attribute","attributes":[{"id","type"}],…}',
    exits: {
      5: 'there is no such group, or it does not share the attribute',
      6: 'somebody changed it meanwhile',
      9: 'no attribute would be left',
      12: 'you answered no',
    },
  });
}

function notShared(groupId: string, attribute: string, known: readonly string[]): CliError {
  return new CliError({
    code: 'groups.attribute_not_found',
    message: `Group ${groupId} does not share ${attribute}.`,
    hint: nearestHint(attribute, known, `It shares ${known.join(', ') || 'nothing'}.`),
    exit: EXIT.notFound,
  });
}
