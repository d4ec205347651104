// `groups attributes add`: shares more attributes within a group.
import { Command } from 'commander';
import { AGGREGATIONS } from '../../lib/contract/groups.ts';
import { groupView } from '../../lib/render/groups.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { behindEquals, withHelp } from '../../lib/runtime/command-line/help.ts';
import { changeAttributes, readAttribute } from './change-attributes.ts';

export function attributesAddCommand(ctx: Context): Command {
  const command = new Command('add')
    .description('share more attributes within a group, or aggregate them otherwise')
    .argument('<group_id>', 'the id of the group')
    .argument('<attribute...>', 'ATTRIBUTE=TYPE: latest, boolean_or, sum or average; latest when left out')
    .action((groupId: string, texts: string[]) => {
      const added = new Map(texts.map(readAttribute).map(({ id, type = 'latest' }) => [id, { id, type }]));
      return changeAttributes(ctx, groupId, (attributes) => [
        ...attributes.map((attribute) => added.get(attribute.id) ?? attribute),
        ...[...added.values()].filter(({ id }) => !attributes.some((attribute) => attribute.id === id)),
      ]);
    });
  return withHelp(command, {
    calls: 'platform',
    columns: groupView.columns,
    values: { attribute: ({ typed }) => behindEquals(typed, AGGREGATIONS) },
    notes: ['The platform replaces the whole list: it is read, changed and written. At most 10 attributes.'],
    examples: [
      'cdpadm groups attributes add household loyalty_points=sum',
      'cdpadm groups attributes add household is_member=boolean_or city --dry-run',
    ],
    json: '{"id","description","source_user_attribute","attributes":[{"id","type"}],…}',
    exits: {
      5: 'there is no such group',
      6: 'somebody changed it meanwhile',
      9: 'more than 10 attributes',
      12: 'you answered no',
    },
  });
}
