// Group identities (specification, B): calls to each endpoint.
import { type GroupPatch, groupsEndpoints } from '../contract/groups.ts';
import type { Client } from '../http/types.ts';
import { resourceCalls } from './resource.ts';

export type GroupsApi = ReturnType<typeof createGroupsApi>;

export function createGroupsApi(client: Client, workspace_id: bigint) {
  const patchOf = (group_id: string, body: GroupPatch) => ({ params: { workspace_id, group_id }, body });
  return {
    ...resourceCalls(client, groupsEndpoints, { workspace_id }, 'group_id'),
    patch: (id: string, body: GroupPatch, signal?: AbortSignal) =>
      client.call(groupsEndpoints.patch, { ...patchOf(id, body), signal }),
    describePatch: (id: string, body: GroupPatch) => client.describe(groupsEndpoints.patch, patchOf(id, body)),
  };
}
