// A. Custom roles: one method per endpoint.
import type { ManifestReply, ManifestRequest, Task } from '../contract/roles.ts';
import { rolesEndpoints } from '../contract/roles.ts';
import type { Client, DescribedRequest } from '../http/types.ts';

/** Whose manifest: it belongs to the organization, although the account stands in every path. */
export interface RolesScope {
  orgId: bigint;
  accountId: bigint;
}

export interface RolesApi {
  /** GET tasks: every task that a role may hold. */
  listTasks(signal?: AbortSignal): Promise<Task[]>;
  /** GET roles: the whole manifest. */
  get(options?: { signal?: AbortSignal; reserved?: boolean }): Promise<ManifestReply>;
  /** PUT roles: replaces the whole manifest. Throws OutcomeUnknownError when the answer is lost. */
  replace(manifest: ManifestRequest, options?: { signal?: AbortSignal; reserved?: boolean }): Promise<ManifestReply>;
  /** What `replace` would send. */
  describeReplace(manifest: ManifestRequest): DescribedRequest;
  /** Takes the budget and the token for a GET and a PUT with nothing between them. */
  prepareReplace(signal?: AbortSignal): Promise<void>;
}

export function createRolesApi(client: Client, scope: RolesScope): RolesApi {
  const params = { orgId: scope.orgId, accountId: scope.accountId };
  return {
    listTasks: (signal) => client.call(rolesEndpoints.listTasks, { params, ...(signal && { signal }) }),
    get: (options = {}) => client.call(rolesEndpoints.get, { params, ...options }),
    replace: (body, options = {}) => client.call(rolesEndpoints.replace, { params, body, ...options }),
    describeReplace: (body) => client.describe(rolesEndpoints.replace, { params, body }),
    prepareReplace: async (signal) => {
      await client.prepare(rolesEndpoints.replace, signal);
      await client.reserve(rolesEndpoints.replace, 2, signal);
    },
  };
}
