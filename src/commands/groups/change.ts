// `groups create`, `update` and `set`: a definition from a file.
import { planGroup } from '../../lib/domain/groups/plan.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { applyGroup, fileFlag, findGroup, groupArg, planWanted, readGroup, writeRecord } from './apply.ts';
import { fail } from '../../lib/errors/fail.ts';

export const createGroup = defineCommand({
  ...writeRecord,
  path: 'groups create',
  summary: 'create a group definition from a file',
  flags: fileFlag,
  notes: ['A workspace has one definition, with at most 10 attributes; `cdpadm schema group` describes the file.'],
  examples: ['cdpadm groups create -f group.yaml', 'cdpadm groups create -f group.yaml --dry-run -o json'],
  exits: {
    failed: 'the platform refuses it, such as a second definition (422)',
    conflict: 'there is a group of this id already',
    invalidInput: 'the file is invalid',
    guard: 'you answered no',
  },
  run: (ctx, { flags }) => create(ctx, flags.file),
});

async function create(ctx: Context, file: string): Promise<void> {
  const planned = await planWanted(ctx, await readGroup(ctx, file));
  if (planned.live) {
    throw fail('groups.exists', {
      message: `There is a group ${planned.wanted.id} already.`,
      hint: { text: 'To change it:', command: `cdpadm groups set -f ${file}` },
    });
  }
  await applyGroup(ctx, planned);
}

export const updateGroup = defineCommand({
  ...writeRecord,
  path: 'groups update',
  summary: 'replace a group definition (PUT)',
  args: groupArg,
  flags: fileFlag,
  examples: ['cdpadm groups update household -f group.yaml', 'cdpadm groups update household -f group.yaml --dry-run'],
  exits: {
    notFound: 'there is no such group',
    conflict: 'somebody changed it meanwhile',
    invalidInput: 'the file is invalid',
    guard: 'you answered no',
  },
  run: (ctx, { args, flags }) => update(ctx, args.group_id, flags.file),
});

async function update(ctx: Context, groupId: string, file: string): Promise<void> {
  const wanted = await readGroup(ctx, file, groupId);
  const live = await findGroup(ctx, groupId);
  const plan = planGroup(live, wanted);
  await applyGroup(ctx, { plan: plan.method === null ? plan : { ...plan, method: 'PUT' }, live, wanted });
}

export const setGroup = defineCommand({
  ...writeRecord,
  path: 'groups set',
  summary: 'create, replace or patch a group definition, whichever is least',
  flags: fileFlag,
  notes: [
    'POST when there is no group of this id, PATCH when the attributes alone differ, PUT for anything else, and nothing when all is as wanted.',
  ],
  examples: ['cdpadm groups set -f group.yaml', 'cdpadm groups set -f group.yaml --dry-run'],
  exits: {
    conflict: 'somebody changed the group meanwhile',
    invalidInput: 'the file is invalid',
    guard: 'you answered no',
  },
  run: async (ctx, { flags }) => applyGroup(ctx, await planWanted(ctx, await readGroup(ctx, flags.file))),
});
