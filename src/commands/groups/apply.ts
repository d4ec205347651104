// One way for all commands that write a group definition: plan, show, confirm, write.
import { GroupReply, type GroupRequest, groupsEndpoints } from '../../lib/contract/groups.ts';
import { foretellLimit, type GroupPlan, planGroup } from '../../lib/domain/groups/plan.ts';
import { isNotFound } from '../../lib/kernel/errors.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import { GROUP_VERBS, groupView, renderGroupPlan } from '../../lib/render/groups.ts';
import type { ArgSpec, CommandRecord, FlagSpec } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { describeGroupWrite, writeGroup } from '../../lib/workflows/groups-write.ts';
import { readDefinition } from '../definition-file.ts';
import { fail } from '../../lib/errors/fail.ts';

/** What the commands that write a definition and print the platform's share. */
export const writeRecord = {
  effect: 'write',
  calls: 'platform',
  columns: () => groupView.columns,
  output: () => GroupReply,
} as const satisfies Partial<CommandRecord>;

export const groupArg = { group_id: { help: 'the id of the group' } } as const satisfies Record<string, ArgSpec>;

export const fileFlag = {
  file: { short: 'f', value: 'file', required: true, help: 'the definition, YAML or JSON; - is standard input' },
} as const satisfies Record<string, FlagSpec>;

export interface PlannedGroup {
  plan: GroupPlan;
  live: GroupReply | undefined;
  wanted: GroupRequest;
}

/** The definition that a file holds; its id must be `id` where one is given, and may then be left out. */
export async function readGroup(ctx: Context, file: string, id?: string): Promise<GroupRequest> {
  if (id === undefined) return await readDefinition<GroupRequest>(ctx, file, groupsEndpoints.create, 'group');
  const group = await readDefinition<Omit<GroupRequest, 'id'> & { id?: string }>(
    ctx,
    file,
    groupsEndpoints.update,
    'group',
  );
  if (group.id !== undefined && group.id !== id) {
    throw fail('groups.other_id', {
      message: `The file is about group ${group.id}, the command about ${id}.`,
      hint: 'An id cannot be changed: create a new group, or mend the file.',
    });
  }
  return { ...group, id };
}

/** Reads what there is and compares. Warns when the platform would refuse one more definition. */
export async function planWanted(ctx: Context, wanted: GroupRequest): Promise<PlannedGroup> {
  const api = await ctx.api();
  const groups = await api.groups.list(ctx.signal);
  const live = groups.find(({ id }) => id === wanted.id);
  const plan = planGroup(live, wanted);
  const limit = foretellLimit(plan, groups);
  if (limit !== undefined) ctx.out.warn(limit);
  return { plan, live, wanted };
}

/** Shows the plan, asks, writes, and prints the definition that the platform then holds. */
export async function applyGroup(ctx: Context, { plan, live, wanted }: PlannedGroup): Promise<void> {
  const { groups } = await ctx.api();
  await ctx.startWrite('workspace');
  const request = describeGroupWrite(groups, plan, wanted);
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun(request ? [request] : [], plan, (style) => renderGroupPlan(plan, style), [plan.id]);
    return;
  }
  ctx.out.show((style) => renderGroupPlan(plan, style));
  if (plan.method === null) {
    if (live) await ctx.out.emit(live, groupView);
    return;
  }
  const { question, deed } = GROUP_VERBS[plan.method];
  await ctx.confirmWrite(`${question} group ${wanted.id}?`);
  const group = await writeGroup(groups, plan, wanted, live, { tell: ctx.out, signal: ctx.signal });
  ctx.out.note(`${deed} group ${group.id} (${plan.method}). The weekly refresh recomputes its members.`);
  await ctx.out.emit(group, groupView);
}

/** The group of this id; KnownError not found (5) with the nearest id otherwise. */
export async function findGroup(ctx: Context, groupId: string): Promise<GroupReply> {
  const { groups } = await ctx.api();
  try {
    return await groups.get(groupId, ctx.signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const known = (await groups.list(ctx.signal)).map(({ id }) => id);
    throw fail('groups.not_found', {
      message: `There is no group ${groupId} in this workspace.`,
      hint: nearestHint(groupId, known, { text: 'To list them:', command: 'cdpadm groups list' }),
      status: 404,
      ...(error.request && { request: error.request }),
      cause: error,
    });
  }
}
