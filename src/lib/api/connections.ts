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

export interface ConnectionsApi {
  /** All, or those of one provider. */
  list(serviceProvider?: ServiceProvider, signal?: AbortSignal): Promise<ConnectionReply[]>;
  get(connectionId: string, signal?: AbortSignal): Promise<ConnectionReply>;
  /** POST. Throws OutcomeUnknownError when the answer is lost, as the other writes do. */
  create(connection: ConnectionRequest, signal?: AbortSignal): Promise<ConnectionReply>;
  update(connectionId: string, connection: ConnectionRequest, signal?: AbortSignal): Promise<ConnectionReply>;
  delete(connectionId: string, signal?: AbortSignal): Promise<void>;
  /** What the write of that name would send. */
  describeCreate(connection: ConnectionRequest): DescribedRequest;
  describeUpdate(connectionId: string, connection: ConnectionRequest): DescribedRequest;
  describeDelete(connectionId: string): DescribedRequest;
}

export function createConnectionsApi(client: Client, { workspaceId }: WorkspaceScope): ConnectionsApi {
  const params = { workspaceId };
  const of = (connectionId: string) => ({ workspaceId, connectionId });
  const { list, get, create, update, delete: remove } = connectionsEndpoints;
  return {
    list: (serviceProvider, signal) =>
      client.call(list, { params, query: { serviceProvider }, ...(signal && { signal }) }),
    get: (id, signal) => client.call(get, { params: of(id), ...(signal && { signal }) }),
    create: (body, signal) => client.call(create, { params, body, ...(signal && { signal }) }),
    update: (id, body, signal) => client.call(update, { params: of(id), body, ...(signal && { signal }) }),
    delete: async (id, signal) => {
      await client.call(remove, { params: of(id), ...(signal && { signal }) });
    },
    describeCreate: (body) => client.describe(create, { params, body }),
    describeUpdate: (id, body) => client.describe(update, { params: of(id), body }),
    describeDelete: (id) => client.describe(remove, { params: of(id) }),
  };
}
