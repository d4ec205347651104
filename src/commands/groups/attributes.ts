// `groups attributes add` and `remove`: read the list, change and check it, and write it as a whole.
import { AGGREGATIONS } from '../../lib/contract/choices.ts';
import { type GroupAttribute, GroupRequest } from '../../lib/contract/groups.ts';
import { explain, showPath } from '../../lib/contract/explain.ts';
import { planGroup, toGroupRequest } from '../../lib/domain/groups/plan.ts';
import { type KnownError, invalidInput, usageError } from '../../lib/kernel/errors.ts';
import { choiceHint, nearestHint } from '../../lib/kernel/nearest.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { behindEquals, type OfferedValues } from '../../lib/runtime/command-line/help.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { applyGroup, findGroup, groupArg, writeRecord } from './apply.ts';
import { fail } from '../../lib/errors/fail.ts';

const aggregations: OfferedValues = ({ typed }) => behindEquals(typed, AGGREGATIONS);

export const addAttributes = defineCommand({
  ...writeRecord,
  path: 'groups attributes add',
  summary: 'add shared attributes to a group, or change how they are aggregated',
  args: {
    ...groupArg,
    attribute: {
      many: true,
      help: 'ATTRIBUTE=TYPE: latest, boolean_or, sum or average (default: latest)',
      offers: aggregations,
    },
  },
  notes: [
    'The platform replaces the whole list, so the command reads, changes and writes it. The list can have at most 10 attributes.',
  ],
  examples: [
    'cdpadm groups attributes add household loyalty_points=sum',
    'cdpadm groups attributes add household is_member=boolean_or city --dry-run',
  ],
  exits: {
    notFound: 'group not found',
    conflict: 'another admin changed it at the same time',
    invalidInput: 'more than 10 attributes',
    guard: 'you answered no',
  },
  run: (ctx, { args }) => {
    const added = new Map(args.attribute.map(readAttribute).map(({ id, type = 'latest' }) => [id, { id, type }]));
    return changeAttributes(ctx, args.group_id, (attributes) => [
      ...attributes.map((attribute) => added.get(attribute.id) ?? attribute),
      ...[...added.values()].filter(({ id }) => !attributes.some((attribute) => attribute.id === id)),
    ]);
  },
});

export const removeAttributes = defineCommand({
  ...writeRecord,
  path: 'groups attributes remove',
  summary: 'remove shared attributes from a group',
  args: { ...groupArg, attribute: { many: true, help: 'the ids of the attributes' } },
  examples: [
    'cdpadm groups attributes remove household lifetime_value',
    'cdpadm groups attributes remove household is_member --dry-run',
  ],
  exits: {
    notFound: 'group not found, or it does not share the attribute',
    conflict: 'another admin changed it at the same time',
    invalidInput: 'no attribute would remain',
    guard: 'you answered no',
  },
  run: (ctx, { args }) => {
    const ids = args.attribute.map((text) => readAttribute(text).id);
    return changeAttributes(ctx, args.group_id, (attributes) => {
      const known = attributes.map(({ id }) => id);
      const unknown = ids.find((id) => !known.includes(id));
      if (unknown !== undefined) throw notShared(args.group_id, unknown, known);
      return attributes.filter(({ id }) => !ids.includes(id));
    });
  },
});

/** Reads `ATTRIBUTE` or `ATTRIBUTE=TYPE`. Throws usage (2) for an unknown type. */
function readAttribute(text: string): { id: string; type: GroupAttribute['type'] | undefined } {
  const split = text.lastIndexOf('=');
  if (split < 0) return { id: text, type: undefined };
  const type = AGGREGATIONS.find((known) => known === text.slice(split + 1));
  if (type) return { id: text.slice(0, split), type };
  throw usageError(
    `Unknown aggregation \`${text.slice(split + 1)}\` in \`${text}\`.`,
    choiceHint(text.slice(split + 1), AGGREGATIONS),
  );
}

async function changeAttributes(
  ctx: Context,
  groupId: string,
  change: (attributes: readonly GroupAttribute[]) => GroupAttribute[],
) {
  const live = await findGroup(ctx, groupId);
  const before = toGroupRequest(live);
  const wanted = { ...before, attributes: change(before.attributes) };
  const issues = explain(GroupRequest, wanted).filter(({ path }) => path[0] === 'attributes');
  if (issues.length > 0) {
    throw invalidInput(
      'The attributes are not valid. Nothing was sent.',
      issues.map(({ path, message }) => ({ path: showPath([groupId, ...path]), message })),
    );
  }
  return await applyGroup(ctx, { plan: planGroup(live, wanted), live, wanted });
}

function notShared(groupId: string, attribute: string, known: readonly string[]): KnownError {
  return fail('groups.attribute_not_found', {
    message: `Group ${groupId} does not share ${attribute}.`,
    hint: nearestHint(attribute, known, `It shares ${known.join(', ') || 'nothing'}.`),
  });
}
