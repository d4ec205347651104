// Applies a plan for a group definition with a single call. If the response is lost, a read determines the outcome.
import type { GroupsApi } from '../api/groups.ts';
import type { GroupReply, GroupRequest } from '../contract/groups.ts';
import { comparableGroup, type GroupPlan } from '../domain/groups/plan.ts';
import { createConfirmed, updateConfirmed, type WritePorts } from './resource-write.ts';

/** Returns the calls for a plan. PATCH writes only the attributes, so only attributes are compared. */
export function groupCalls(api: GroupsApi, method?: GroupPlan['method']) {
  const isPatch = method === 'PATCH';
  return {
    noun: 'group',
    group: 'groups',
    ...api,
    update: (id: string, { id: _id, ...body }: GroupRequest, signal: AbortSignal) =>
      isPatch ? api.patch(id, { attributes: body.attributes }, signal) : api.update(id, body, signal),
    comparable: (group: GroupReply | GroupRequest) =>
      comparableGroup(isPatch ? ({ attributes: group.attributes } as Partial<GroupReply>) : group),
  };
}

/** Returns the request that `writeGroup` would send; undefined if there is nothing to do. */
export function describeGroupWrite(api: GroupsApi, { method }: GroupPlan, { id, ...body }: GroupRequest) {
  switch (method) {
    case 'POST':
      return api.describeCreate({ id, ...body });
    case 'PUT':
      return api.describeUpdate(id, body);
    case 'PATCH':
      return api.describePatch(id, { attributes: body.attributes });
    case null:
      return undefined;
  }
}

/** Applies a plan that was computed from `live`. Throws conflict (6) if the group has changed since then. */
export async function writeGroup(
  api: GroupsApi,
  plan: GroupPlan,
  wanted: GroupRequest,
  live: GroupReply | undefined,
  ports: WritePorts,
): Promise<GroupReply> {
  if (!live) return await createConfirmed(wanted, groupCalls(api), ports);
  return await updateConfirmed(wanted.id, wanted, live, groupCalls(api, plan.method), ports);
}
