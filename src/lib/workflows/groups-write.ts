// Applies a plan for a group definition with a single call. A read confirms a lost response.
import type { GroupsApi } from '../api/groups.ts';
import type { GroupReply, GroupRequest } from '../contract/groups.ts';
import { comparableGroup, type GroupPlan } from '../domain/groups/plan.ts';
import {
  checkUntouched,
  createConfirmed,
  type ResourceCalls,
  updateConfirmed,
  type WritePorts,
} from './resource-write.ts';

type GroupCalls = ResourceCalls<GroupReply, GroupRequest>;

export function groupCalls(api: GroupsApi): GroupCalls {
  return {
    noun: 'group',
    look: 'groups get',
    get: (id, signal) => api.get(id, signal),
    create: (body, signal) => api.create(body, signal),
    update: (id, { id: _id, ...body }, signal) => api.update(id, body, signal),
    delete: (id, signal) => api.delete(id, signal),
    comparable: comparableGroup,
  };
}

/** PATCH writes only the attributes, so only attributes are compared. */
function patchCalls(api: GroupsApi): GroupCalls {
  return {
    ...groupCalls(api),
    update: (id, { attributes }, signal) => api.patch(id, { attributes }, signal),
    comparable: ({ attributes }) => comparableGroup({ attributes } as Partial<GroupReply>),
  };
}

/** The request that `writeGroup` would send; undefined if there is nothing to do. */
export function describeGroupWrite(
  api: GroupsApi,
  { method }: GroupPlan,
  { id, ...body }: GroupRequest,
): ReturnType<GroupsApi['describeCreate']> | undefined {
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
  if (plan.method === null) return live;
  await checkUntouched(wanted.id, live, groupCalls(api), ports.signal);
  const calls = plan.method === 'PATCH' ? patchCalls(api) : groupCalls(api);
  return await updateConfirmed(wanted.id, wanted, live, calls, ports);
}
