// `groups create`, `update`, `set` and `delete`: write a definition from a file, or delete one.
import { planGroup } from '../../lib/domain/groups/plan.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { applyGroup, fileFlag, findGroup, groupArg, planWanted, readGroup, writeRecord } from './apply.ts';
import { fail } from '../../lib/errors/fail.ts';
import { groupView } from '../../lib/render/groups.ts';
import { drawRecord, filledColumns } from '../../lib/render/table.ts';
import { groupCalls } from '../../lib/workflows/groups-write.ts';
import { deleteConfirmed } from '../../lib/workflows/resource-write.ts';
import { deletedResult, deletedView } from '../results.ts';

export const createGroup = defineCommand({
  ...writeRecord,
  path: 'groups create',
  undo: 'groups delete {id}',
  summary: 'create a group definition from a file',
  flags: fileFlag,
  notes: [
    'A workspace can have only one definition, with at most 10 attributes. `cdpadm schema group` describes the file.',
  ],
  examples: ['cdpadm groups create -f group.yaml', 'cdpadm groups create -f group.yaml --dry-run -o json'],
  exits: {
    failed: 'the platform rejects it, such as a second definition (422)',
    conflict: 'a group with this id already exists',
    invalidInput: 'the file is invalid',
    guard: 'you answered no',
  },
  run: async (ctx, { flags: { file } }) => {
    const planned = await planWanted(ctx, await readGroup(ctx, file));
    if (planned.live) {
      throw fail('groups.exists', {
        message: `Group ${planned.wanted.id} already exists.`,
        hint: { text: 'To change it:', command: `cdpadm groups set -f ${file}` },
      });
    }
    return await applyGroup(ctx, planned);
  },
});

export const updateGroup = defineCommand({
  ...writeRecord,
  path: 'groups update',
  summary: 'replace a group definition (PUT)',
  args: groupArg,
  flags: fileFlag,
  examples: ['cdpadm groups update household -f group.yaml', 'cdpadm groups update household -f group.yaml --dry-run'],
  exits: {
    notFound: 'group not found',
    conflict: 'another admin changed it at the same time',
    invalidInput: 'the file is invalid',
    guard: 'you answered no',
  },
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
    'Sends POST for a new id, PATCH if only the attributes differ, PUT for any other difference, and nothing if the definition is up to date.',
  ],
  examples: ['cdpadm groups set -f group.yaml', 'cdpadm groups set -f group.yaml --dry-run'],
  exits: {
    conflict: 'another admin changed the group at the same time',
    invalidInput: 'the file is invalid',
    guard: 'you answered no',
  },
  run: async (ctx, { flags }) => await applyGroup(ctx, await planWanted(ctx, await readGroup(ctx, flags.file))),
});

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
