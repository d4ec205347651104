// The API clients of all areas. Each one is created on first use.
import { connectionsEndpoints } from '../contract/connections.ts';
import { dataModelsEndpoints } from '../contract/data-models.ts';
import { intakeEndpoints } from '../contract/intake.ts';
import { seedingEndpoints, type SingleSeed } from '../contract/seeding.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { AnyInput, CallInput, Client } from '../http/types.ts';
import { KnownError } from '../kernel/errors.ts';
import { createDsrApi } from './dsr.ts';
import { createPipelinesApi } from './pipelines.ts';
import { type GroupPatch, groupsEndpoints } from '../contract/groups.ts';
import { resourceCalls } from './resource.ts';
import { type ManifestRequest, rolesEndpoints } from '../contract/roles.ts';

interface ApiScope {
  /** The roles manifest belongs to the organization, although its paths also contain the account. */
  roles(): { orgId: bigint; accountId: bigint };
  workspaceId(): bigint;
}

export type Api = ReturnType<typeof createApi>;
export type SeedingApi = ReturnType<typeof createSeedingApi>;

export function createApi(client: Client, scope: ApiScope) {
  return lazy({
    client: () => client,
    roles: () => createRolesApi(client, scope.roles()),
    groups: () => createGroupsApi(client, scope.workspaceId()),
    dsr: () => createDsrApi(client),
    connections: () =>
      resourceCalls(client, connectionsEndpoints, { workspaceId: scope.workspaceId() }, 'connectionId'),
    dataModels: () => resourceCalls(client, dataModelsEndpoints, { workspaceId: scope.workspaceId() }, 'modelId'),
    pipelines: () => createPipelinesApi(client, scope.workspaceId()),
    seeding: () => createSeedingApi(client),
    intake: () => ({
      event: writeOf(client, intakeEndpoints.event),
      identify: writeOf(client, intakeEndpoints.identify),
    }),
  });
}

function lazy<T extends Record<string, () => unknown>>(makers: T) {
  const members = new Map<string, unknown>();
  const getters = Object.entries(makers).map(([name, make]): [string, PropertyDescriptor] => {
    const get = (): unknown => {
      if (!members.has(name)) members.set(name, make());
      return members.get(name);
    };
    return [name, { get, enumerable: true }];
  });
  return Object.defineProperties({}, Object.fromEntries(getters)) as { readonly [K in keyof T]: ReturnType<T[K]> };
}

function createSeedingApi(client: Client) {
  const { set, bulk } = seedingEndpoints;
  return {
    set: writeOf(client, set),
    /** POSTs an empty list: it changes nothing, and the platform checks the credentials first (specification, E). */
    tryCredentials: async (signal?: AbortSignal): Promise<void> => {
      try {
        await client.call(bulk, { body: [], signal });
      } catch (error) {
        if (!(error instanceof KnownError) || (error.status !== 400 && error.status !== 422)) throw error;
      }
    },
    /** Opens a sender for bulk calls. Each body must be JSON-encoded bytes with wire names. */
    openBulk: () => client.openSender(bulk),
    describeBulk: (body: SingleSeed[]) => client.describe(bulk, { body }),
  };
}

/** Returns the calls of a write without a reply body. If a `once` reply is lost, `send` throws OutcomeUnknownError. */
function writeOf<E extends Endpoint>(client: Client, endpoint: E) {
  type Body = NonNullable<CallInput<E>['body']>;
  return {
    send: async (body: Body, signal?: AbortSignal): Promise<void> => {
      await client.call(endpoint, { body, signal } as never);
    },
    describe: (body: Body) => client.describe(endpoint, { body } as never),
  };
}

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

type RolesOptions = Pick<AnyInput, 'signal' | 'reserved' | 'beforeRetry'>;

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
