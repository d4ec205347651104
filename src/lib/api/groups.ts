// B. Group identities: one method per endpoint.
import {
  type GroupPatch,
  type GroupReply,
  type GroupRequest,
  groupsEndpoints,
  type GroupUpdate,
} from '../contract/groups.ts';
import type { Client, DescribedRequest } from '../http/types.ts';
import type { WorkspaceScope } from './connections.ts';

export type GroupsApi = ReturnType<typeof createGroupsApi>;

export function createGroupsApi(client: Client, { workspaceId }: WorkspaceScope) {
  const params = { workspace_id: workspaceId };
  const of = (group_id: string) => ({ workspace_id: workspaceId, group_id });
  return {
    list: (signal?: AbortSignal): Promise<GroupReply[]> =>
      client.call(groupsEndpoints.list, { params, ...(signal && { signal }) }),
    get: (id: string, signal?: AbortSignal): Promise<GroupReply> =>
      client.call(groupsEndpoints.get, { params: of(id), ...(signal && { signal }) }),
    /** POST. Throws OutcomeUnknownError when the answer is lost, as the other writes do. */
    create: (body: GroupRequest, signal?: AbortSignal): Promise<GroupReply> =>
      client.call(groupsEndpoints.create, { params, body, ...(signal && { signal }) }),
    /** PUT: replaces the definition. */
    update: (id: string, body: GroupUpdate, signal?: AbortSignal): Promise<GroupReply> =>
      client.call(groupsEndpoints.update, { params: of(id), body, ...(signal && { signal }) }),
    /** PATCH: replaces the list of attributes. */
    patch: (id: string, body: GroupPatch, signal?: AbortSignal): Promise<GroupReply> =>
      client.call(groupsEndpoints.patch, { params: of(id), body, ...(signal && { signal }) }),
    delete: async (id: string, signal?: AbortSignal): Promise<void> => {
      await client.call(groupsEndpoints.delete, { params: of(id), ...(signal && { signal }) });
    },
    /** What the write of that name would send. */
    describeCreate: (body: GroupRequest): DescribedRequest => client.describe(groupsEndpoints.create, { params, body }),
    describeUpdate: (id: string, body: GroupUpdate): DescribedRequest =>
      client.describe(groupsEndpoints.update, { params: of(id), body }),
    describePatch: (id: string, body: GroupPatch): DescribedRequest =>
      client.describe(groupsEndpoints.patch, { params: of(id), body }),
    describeDelete: (id: string): DescribedRequest => client.describe(groupsEndpoints.delete, { params: of(id) }),
  };
}
