// Custom roles (specification, A): calls to each endpoint.
import { type ManifestRequest, rolesEndpoints } from '../contract/roles.ts';
import type { Client } from '../http/types.ts';

interface RolesOptions {
  signal?: AbortSignal;
  reserved?: boolean;
  beforeRetry?: () => Promise<void>;
}

export type RolesApi = ReturnType<typeof createRolesApi>;

export function createRolesApi(client: Client, params: { orgId: bigint; accountId: bigint }) {
  const { get, listTasks, replace } = rolesEndpoints;
  return {
    listTasks: (signal?: AbortSignal) => client.call(listTasks, { params, signal }),
    get: (options: RolesOptions = {}) => client.call(get, { params, ...options }),
    /** PUTs the whole manifest, replacing the live one. Throws OutcomeUnknownError if the response is lost. */
    replace: (body: ManifestRequest, options: RolesOptions = {}) => client.call(replace, { params, body, ...options }),
    describeReplace: (body: ManifestRequest) => client.describe(replace, { params, body }),
    /** Reserves the budget and fetches the token for a GET and a PUT, so that nothing delays the PUT after the GET. */
    prepareReplace: async (signal?: AbortSignal): Promise<void> => {
      await client.prepare(replace, signal);
      await client.reserve(replace, 2, signal);
    },
  };
}
