// Plans, shows and, after a confirmation, writes a group definition, for all commands that write one.
import { pickGroup } from '../pick.ts';
import type { GroupsApi } from '../../lib/api/index.ts';
import { GroupReply, GroupRequest, groupsEndpoints, GroupUpdate } from '../../lib/contract/groups.ts';
import { parseWith } from '../../lib/contract/explain.ts';
import { invalidDocument } from '../../lib/files/load.ts';
import { comparableGroup, limitWarning, type GroupPlan, planGroup, undoGroup } from '../../lib/domain/groups/plan.ts';
import { GROUP_VERBS, groupView, renderGroupPlan } from '../../lib/render/groups.ts';
import type { ArgSpec, CommandRecord, FlagSpec } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { Style } from '../../lib/render/style.ts';
import { resourceWriter } from '../../lib/workflows/resource-write.ts';
import { loadDefinition, findResource } from '../find-resource.ts';
import { fail } from '../../lib/errors/fail.ts';

export const writeRecord = {
  effect: 'write',
  calls: 'platform',
  output: () => GroupReply,
  view: () => groupView,
} as const satisfies Partial<CommandRecord> & { view: () => typeof groupView };

export const groupArg = {
  group_id: { help: 'id of the group', pick: pickGroup },
} as const satisfies Record<string, ArgSpec>;

export const fileFlag = {
  file: { short: 'f', value: 'file', required: true, help: 'definition as YAML or JSON; - reads standard input' },
} as const satisfies Record<string, FlagSpec>;

type PlannedGroup = Awaited<ReturnType<typeof planWanted>>;

/** Reads a definition from a file. If `id` is given, the file must contain the same id or none. */
export async function readGroup(ctx: Context, file: string, id?: string): Promise<GroupRequest> {
  const { create, update } = groupsEndpoints;
  const { document, value } = await loadDefinition(ctx, file, id === undefined ? create : update, 'group');
  const { data: group, issues } = parseWith(id === undefined ? GroupRequest : GroupUpdate, value);
  if (!group) throw invalidDocument(document, 'group', issues);
  if (id !== undefined && group.id !== undefined && group.id !== id) {
    throw fail('groups.other_id', {
      message: `The file defines group ${group.id}, not ${id}.`,
      hint: 'An id cannot be changed: create a new group, or fix the file.',
    });
  }
  return { ...group, id: id ?? group.id ?? '' };
}

/** Compares the definition with the live one. Warns if the platform would reject a second definition. */
export async function planWanted(ctx: Context, wanted: GroupRequest) {
  const api = await ctx.api();
  const groups = await api.groups.list(ctx.signal);
  const live = groups.find(({ id }) => id === wanted.id);
  const plan = planGroup(live, wanted);
  const limit = limitWarning(plan, groups);
  if (limit !== undefined) ctx.out.warn(limit);
  return { plan, live, wanted };
}

/** Shows the plan, asks for confirmation, writes, and returns the definition now on the platform. */
export async function applyGroup(ctx: Context, { plan, live, wanted }: PlannedGroup): Promise<GroupReply | undefined> {
  const calls = groupCalls((await ctx.api()).groups, plan.method);
  await ctx.startWrite('workspace');
  const draw = (style: Style): string => renderGroupPlan(plan, style);
  if (ctx.flags.dryRun) {
    return await ctx.out.emitDryRun(plan.method === null ? [] : [calls.describe(wanted)], plan, draw, [plan.id]);
  }
  ctx.out.show(draw);
  if (plan.method === null) return live;
  const { question, done } = GROUP_VERBS[plan.method];
  await ctx.confirmWrite(`${question} group ${wanted.id}?`);
  ctx.logFacts({ ids: [plan.id], ...undoGroup(plan) });
  const writer = resourceWriter(calls, ctx);
  const group = live ? await writer.update(wanted.id, wanted, live) : await writer.create(wanted);
  ctx.out.note(`${done} group ${group.id}. The weekly refresh recomputes the group's members.`);
  return group;
}

/** Returns the calls for a plan. PATCH writes only the attributes, so only attributes are compared. */
export function groupCalls(api: GroupsApi, method?: GroupPlan['method']) {
  const isPatch = method === 'PATCH';
  return {
    noun: 'group',
    group: 'groups',
    ...api,
    update: (id: string, { id: _id, ...body }: GroupRequest, signal: AbortSignal) =>
      isPatch ? api.patch(id, { attributes: body.attributes }, signal) : api.update(id, body, signal),
    describe: ({ id, ...body }: GroupRequest) => {
      if (method === 'POST') return api.describeCreate({ id, ...body });
      return isPatch ? api.describePatch(id, { attributes: body.attributes }) : api.describeUpdate(id, body);
    },
    comparable: (group: GroupReply | GroupRequest) =>
      comparableGroup(isPatch ? ({ attributes: group.attributes } as Partial<GroupReply>) : group),
  };
}

/** Returns the group with this id. Throws not found (5). */
export async function findGroup(ctx: Context, groupId: string): Promise<GroupReply> {
  return await findResource(ctx, groupCalls((await ctx.api()).groups), groupId, 'groups.not_found');
}
