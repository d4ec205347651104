// A. Custom roles: one method per endpoint.
import type { ManifestReply, ManifestRequest, Task } from '../contract/roles.ts';
import { rolesEndpoints } from '../contract/roles.ts';
import type { Client, DescribedRequest } from '../http/types.ts';

/** Whose manifest: it belongs to the organization, although the account stands in every path. */
export interface RolesScope {
  orgId: bigint;
  accountId: bigint;
}

export type RolesApi = ReturnType<typeof createRolesApi>;

export function createRolesApi(client: Client, scope: RolesScope) {
  const params = { orgId: scope.orgId, accountId: scope.accountId };
  return {
    /** GET tasks: every task that a role may hold. */
    listTasks: (signal?: AbortSignal): Promise<Task[]> =>
      client.call(rolesEndpoints.listTasks, { params, ...(signal && { signal }) }),
    /** GET roles: the whole manifest. */
    get: (options: { signal?: AbortSignal; reserved?: boolean } = {}): Promise<ManifestReply> =>
      client.call(rolesEndpoints.get, { params, ...options }),
    /** PUT roles: replaces the whole manifest. Throws OutcomeUnknownError when the answer is lost. */
    replace: (
      body: ManifestRequest,
      options: { signal?: AbortSignal; reserved?: boolean } = {},
    ): Promise<ManifestReply> => client.call(rolesEndpoints.replace, { params, body, ...options }),
    /** What `replace` would send. */
    describeReplace: (body: ManifestRequest): DescribedRequest =>
      client.describe(rolesEndpoints.replace, { params, body }),
    /** Takes the budget and the token for a GET and a PUT with nothing between them. */
    prepareReplace: async (signal?: AbortSignal): Promise<void> => {
      await client.prepare(rolesEndpoints.replace, signal);
      await client.reserve(rolesEndpoints.replace, 2, signal);
    },
  };
}
