// The groups commands. Those that write have files of their own.
import { group, defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { addAttributes, removeAttributes, createGroup, setGroup, updateGroup, deleteGroup } from './change.ts';
import * as z from 'zod/mini';
import { GroupReply } from '../../lib/contract/groups.ts';
import { groupPlanResult } from '../../lib/domain/groups/plan.ts';
import { GROUP_PLAN_COLUMNS, groupListView, groupPlanView, groupView } from '../../lib/render/groups.ts';
import { fileFlag, findGroup, groupArg, planWanted, readGroup } from './apply.ts';

const listGroups = defineCommand({
  path: 'groups list',
  summary: 'list the group definitions of the workspace',
  effect: 'read',
  calls: 'platform',
  output: () => z.array(GroupReply),
  examples: ['cdpadm groups list', 'cdpadm groups list -o json --query "[].id"'],
  run: async (ctx) => await (await ctx.api()).groups.list(ctx.signal),
  view: () => groupListView,
});

const getGroup = defineCommand({
  path: 'groups get',
  summary: 'show one group definition',
  effect: 'read',
  calls: 'platform',
  args: groupArg,
  output: () => GroupReply,
  notes: [
    'A group instance contains at most 10 of the users that share a value of the source attribute: the first 10 by profile id. The platform recomputes the members weekly.',
  ],
  examples: ['cdpadm groups get household', 'cdpadm groups get household -o yaml'],
  exits: { notFound: 'group not found' },
  run: (ctx, { args }) => findGroup(ctx, args.group_id),
  view: () => groupView,
});

export const diffGroup = defineCommand({
  path: 'groups diff',
  summary: 'compare a file with the live group definition',
  effect: 'read',
  calls: 'platform',
  flags: { ...fileFlag, exitCode: { help: 'exit 10 if there are differences' } },
  columns: () => GROUP_PLAN_COLUMNS,
  output: () => groupPlanResult(),
  examples: ['cdpadm groups diff -f group.yaml', 'cdpadm groups diff -f group.yaml --exit-code -o json'],
  exits: { invalidInput: 'the file is invalid', differences: 'differences, with --exit-code' },
  run: async (ctx, { flags }) => {
    const { plan } = await planWanted(ctx, await readGroup(ctx, flags.file));
    if (flags.exitCode && plan.method !== null) ctx.setExit('differences');
    return plan;
  },
  view: () => groupPlanView,
});

export const command = group('groups', 'group identities, such as households', [
  listGroups,
  getGroup,
  createGroup,
  updateGroup,
  setGroup,
  deleteGroup,
  diffGroup,
  group('attributes', 'attributes that the members of a group share', [addAttributes, removeAttributes]),
]);
