// The API clients of all areas. Each one is created on first use.
import { connectionsEndpoints } from '../contract/connections.ts';
import { dataModelsEndpoints } from '../contract/data-models.ts';
import { intakeEndpoints } from '../contract/intake.ts';
import { seedingEndpoints, type SingleSeed } from '../contract/seeding.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { CallInput, Client } from '../http/types.ts';
import { KnownError } from '../kernel/errors.ts';
import { createDsrApi } from './dsr.ts';
import { createGroupsApi } from './groups.ts';
import { createPipelinesApi } from './pipelines.ts';
import { resourceCalls } from './resource.ts';
import { createRolesApi } from './roles.ts';

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
