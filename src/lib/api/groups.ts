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

export interface GroupsApi {
  list(signal?: AbortSignal): Promise<GroupReply[]>;
  get(groupId: string, signal?: AbortSignal): Promise<GroupReply>;
  /** POST. Throws OutcomeUnknownError when the answer is lost, as the other writes do. */
  create(group: GroupRequest, signal?: AbortSignal): Promise<GroupReply>;
  /** PUT: replaces the definition. */
  update(groupId: string, group: GroupUpdate, signal?: AbortSignal): Promise<GroupReply>;
  /** PATCH: replaces the list of attributes. */
  patch(groupId: string, patch: GroupPatch, signal?: AbortSignal): Promise<GroupReply>;
  delete(groupId: string, signal?: AbortSignal): Promise<void>;
  /** What the write of that name would send. */
  describeCreate(group: GroupRequest): DescribedRequest;
  describeUpdate(groupId: string, group: GroupUpdate): DescribedRequest;
  describePatch(groupId: string, patch: GroupPatch): DescribedRequest;
  describeDelete(groupId: string): DescribedRequest;
}

export function createGroupsApi(client: Client, { workspaceId }: WorkspaceScope): GroupsApi {
  const params = { workspace_id: workspaceId };
  const of = (group_id: string) => ({ workspace_id: workspaceId, group_id });
  return {
    list: (signal) => client.call(groupsEndpoints.list, { params, ...(signal && { signal }) }),
    get: (id, signal) => client.call(groupsEndpoints.get, { params: of(id), ...(signal && { signal }) }),
    create: (body, signal) => client.call(groupsEndpoints.create, { params, body, ...(signal && { signal }) }),
    update: (id, body, signal) =>
      client.call(groupsEndpoints.update, { params: of(id), body, ...(signal && { signal }) }),
    patch: (id, body, signal) =>
      client.call(groupsEndpoints.patch, { params: of(id), body, ...(signal && { signal }) }),
    delete: async (id, signal) => {
      await client.call(groupsEndpoints.delete, { params: of(id), ...(signal && { signal }) });
    },
    describeCreate: (body) => client.describe(groupsEndpoints.create, { params, body }),
    describeUpdate: (id, body) => client.describe(groupsEndpoints.update, { params: of(id), body }),
    describePatch: (id, body) => client.describe(groupsEndpoints.patch, { params: of(id), body }),
    describeDelete: (id) => client.describe(groupsEndpoints.delete, { params: of(id) }),
  };
}
