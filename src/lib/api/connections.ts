// D. Connections: one method per endpoint.
import {
  type ConnectionReply,
  type ConnectionRequest,
  connectionsEndpoints,
  type ServiceProvider,
} from '../contract/connections.ts';
import type { Client, DescribedRequest } from '../http/types.ts';

/** Which workspace the calls of B and D are about. */
export interface WorkspaceScope {
  workspaceId: bigint;
}

export type ConnectionsApi = ReturnType<typeof createConnectionsApi>;

export function createConnectionsApi(client: Client, { workspaceId }: WorkspaceScope) {
  const params = { workspaceId };
  const of = (connectionId: string) => ({ workspaceId, connectionId });
  const { list, get, create, update, delete: remove } = connectionsEndpoints;
  return {
    /** All, or those of one provider. */
    list: (serviceProvider?: ServiceProvider, signal?: AbortSignal): Promise<ConnectionReply[]> =>
      client.call(list, { params, query: { serviceProvider }, ...(signal && { signal }) }),
    get: (id: string, signal?: AbortSignal): Promise<ConnectionReply> =>
      client.call(get, { params: of(id), ...(signal && { signal }) }),
    /** POST. Throws OutcomeUnknownError when the answer is lost, as the other writes do. */
    create: (body: ConnectionRequest, signal?: AbortSignal): Promise<ConnectionReply> =>
      client.call(create, { params, body, ...(signal && { signal }) }),
    update: (id: string, body: ConnectionRequest, signal?: AbortSignal): Promise<ConnectionReply> =>
      client.call(update, { params: of(id), body, ...(signal && { signal }) }),
    delete: async (id: string, signal?: AbortSignal): Promise<void> => {
      await client.call(remove, { params: of(id), ...(signal && { signal }) });
    },
    /** What the write of that name would send. */
    describeCreate: (body: ConnectionRequest): DescribedRequest => client.describe(create, { params, body }),
    describeUpdate: (id: string, body: ConnectionRequest): DescribedRequest =>
      client.describe(update, { params: of(id), body }),
    describeDelete: (id: string): DescribedRequest => client.describe(remove, { params: of(id) }),
  };
}
