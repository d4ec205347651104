// `groups create`, `update`, `set`, `delete` and `attributes`: write or delete a definition.
import { planGroup, toGroupRequest } from '../../lib/domain/groups/plan.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { applyGroup, fileFlag, findGroup, groupArg, groupCalls, planWanted, readGroup, writeRecord } from './apply.ts';
import { fail } from '../../lib/errors/fail.ts';
import { groupView } from '../../lib/render/groups.ts';
import { drawRecord, filledColumns } from '../../lib/render/table.ts';
import { deleteResource } from '../find-resource.ts';
import { deletedResult, deletedView } from '../results.ts';
import { AGGREGATIONS } from '../../lib/contract/choices.ts';
import { type GroupAttribute, GroupPatch } from '../../lib/contract/groups.ts';
import { explain, showPath } from '../../lib/contract/explain.ts';
import { invalidInput, usageError } from '../../lib/kernel/errors.ts';
import { choiceHint, nearestHint } from '../../lib/kernel/nearest.ts';
import { shellWord } from '../../lib/kernel/words.ts';
import { behindEquals, type OfferedValues } from '../../lib/runtime/command-line/help.ts';
import type { Context } from '../../lib/runtime/context.ts';

const writeExits = { conflict: 'another admin changed the group at the same time', guard: 'you answered no' } as const;

export const createGroup = defineCommand({
  ...writeRecord,
  path: 'groups create',
  summary: 'create a group definition from a file',
  flags: fileFlag,
  notes: [
    'A workspace can have only one definition, with at most 10 attributes. `cdpadm schema group` describes the file.',
  ],
  examples: ['cdpadm groups create -f group.yaml', 'cdpadm groups create -f group.yaml --dry-run -o json'],
  exits: {
    failed: 'the platform rejects the definition, for example because the workspace already has one (422)',
    conflict: 'a group with this id already exists',
    invalidInput: 'the file is invalid',
    guard: 'you answered no',
  },
  run: async (ctx, { flags: { file } }) => {
    const planned = await planWanted(ctx, await readGroup(ctx, file));
    if (planned.live) {
      throw fail('groups.exists', {
        message: `Group ${planned.wanted.id} already exists.`,
        hint: { text: 'To change it:', command: `cdpadm groups set -f ${shellWord(file)}` },
      });
    }
    return await applyGroup(ctx, planned);
  },
});

export const updateGroup = defineCommand({
  ...writeRecord,
  path: 'groups update',
  summary: 'replace a group definition',
  args: groupArg,
  flags: fileFlag,
  examples: ['cdpadm groups update household -f group.yaml', 'cdpadm groups update household -f group.yaml --dry-run'],
  exits: { ...writeExits, notFound: 'group not found', invalidInput: 'the file is invalid' },
  run: async (ctx, { args, flags }) => {
    const wanted = await readGroup(ctx, flags.file, args.group_id);
    const live = await findGroup(ctx, args.group_id);
    const plan = planGroup(live, wanted);
    return await applyGroup(ctx, { plan: plan.method === null ? plan : { ...plan, method: 'PUT' }, live, wanted });
  },
});

export const setGroup = defineCommand({
  ...writeRecord,
  path: 'groups set',
  summary: 'create, replace or patch a group definition as needed',
  flags: fileFlag,
  notes: [
    'The command creates a new group, patches an existing one if only its attributes differ, and otherwise replaces it. It sends nothing if the group is up to date.',
  ],
  examples: ['cdpadm groups set -f group.yaml', 'cdpadm groups set -f group.yaml --dry-run'],
  exits: { ...writeExits, invalidInput: 'the file is invalid' },
  run: async (ctx, { flags }) => await applyGroup(ctx, await planWanted(ctx, await readGroup(ctx, flags.file))),
});

export const deleteGroup = defineCommand({
  path: 'groups delete',
  summary: 'delete a group definition',
  effect: 'write',
  calls: 'platform',
  args: groupArg,
  output: deletedResult,
  notes: ["The group's members lose their shared attributes."],
  undoNote: 'The deleted definition is not saved. Create it again from a file.',
  examples: ['cdpadm groups delete household --dry-run', 'cdpadm groups delete household --yes'],
  exits: { ...writeExits, notFound: 'group not found' },
  run: async (ctx, { args: { group_id: id } }) =>
    await deleteResource(ctx, id, groupCalls((await ctx.api()).groups), {
      find: () => findGroup(ctx, id),
      draw: (group, style) => drawRecord(group, filledColumns(group, groupView.columns), style),
      question: `Delete group ${id} and the attributes that its members share?`,
    }),
  view: () => deletedView,
});

const aggregations: OfferedValues = ({ typed }) => behindEquals(typed, AGGREGATIONS);

export const addAttributes = defineCommand({
  ...writeRecord,
  path: 'groups attributes add',
  summary: 'add shared attributes to a group, or change how they are aggregated',
  args: {
    ...groupArg,
    attribute: {
      many: true,
      help: 'ATTRIBUTE=TYPE: latest, boolean_or, sum or average (default: the current type, else latest)',
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
  exits: { ...writeExits, notFound: 'group not found', invalidInput: 'more than 10 attributes' },
  run: (ctx, { args }) => {
    const added = new Map<string, Partial<GroupAttribute>>();
    for (const { id, type } of args.attribute.map(readAttribute)) {
      const other = added.get(id)?.type ?? type;
      if (type && other !== type) throw usageError(`Conflicting aggregations for ${id}: ${other} and ${type}.`);
      added.set(id, other ? { type: other } : {});
    }
    return changeAttributes(ctx, args.group_id, (attributes) => [
      ...attributes.map((attribute) => ({ ...attribute, ...added.get(attribute.id) })),
      ...[...added].flatMap(([id, { type = 'latest' }]) =>
        attributes.some((attribute) => attribute.id === id) ? [] : { id, type },
      ),
    ]);
  },
});

export const removeAttributes = defineCommand({
  ...writeRecord,
  path: 'groups attributes remove',
  summary: 'remove shared attributes from a group',
  args: { ...groupArg, attribute: { many: true, help: 'ids of the attributes' } },
  examples: [
    'cdpadm groups attributes remove household lifetime_value',
    'cdpadm groups attributes remove household is_member --dry-run',
  ],
  exits: { ...writeExits, notFound: 'the group does not exist, or does not share the attribute' },
  run: (ctx, { args }) => {
    const ids = args.attribute.map((text) => readAttribute(text).id);
    return changeAttributes(ctx, args.group_id, (attributes) => {
      const known = attributes.map(({ id }) => id);
      const unknown = ids.find((id) => !known.includes(id));
      if (unknown !== undefined)
        throw fail('groups.attribute_not_found', {
          message: `Group ${args.group_id} does not share ${unknown}.`,
          hint: nearestHint(unknown, known, `It shares ${known.join(', ') || 'nothing'}.`),
        });
      return attributes.filter(({ id }) => !ids.includes(id));
    });
  },
});

/** Reads `ATTRIBUTE` or `ATTRIBUTE=TYPE`. Throws usage (2) for an unknown type. */
function readAttribute(text: string): { id: string; type: GroupAttribute['type'] | undefined } {
  const split = text.lastIndexOf('=');
  if (split < 0) return { id: text, type: undefined };
  const [id, word] = [text.slice(0, split), text.slice(split + 1)];
  const type = AGGREGATIONS.find((known) => known === word);
  if (type) return { id, type };
  throw usageError(`Unknown aggregation \`${word}\` in \`${text}\`.`, choiceHint(word, AGGREGATIONS));
}

async function changeAttributes(
  ctx: Context,
  groupId: string,
  change: (attributes: readonly GroupAttribute[]) => GroupAttribute[],
) {
  const live = await findGroup(ctx, groupId);
  const before = toGroupRequest(live);
  const wanted = { ...before, attributes: change(before.attributes) };
  // The group's own attributes are sent back as they are, even if the specification lacks their fields or types.
  const issues = explain(GroupPatch, wanted).filter(
    ({ isUnknown, path: [, index = Infinity] }) => !isUnknown && Number(index) >= before.attributes.length,
  );
  if (issues.length > 0) {
    throw invalidInput(
      'The attributes are not valid. Nothing was sent.',
      issues.map(({ path, message }) => ({ path: showPath([groupId, ...path]), message })),
    );
  }
  return await applyGroup(ctx, { plan: planGroup(live, wanted), live, wanted });
}
