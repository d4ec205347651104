// D. Data models: one method per endpoint.
import { type DataModelReply, type DataModelRequest, dataModelsEndpoints } from '../contract/data-models.ts';
import type { Client, DescribedRequest } from '../http/types.ts';
import type { WorkspaceScope } from './connections.ts';

export type DataModelsApi = ReturnType<typeof createDataModelsApi>;

export function createDataModelsApi(client: Client, { workspaceId }: WorkspaceScope) {
  const params = { workspaceId };
  const of = (modelId: string) => ({ workspaceId, modelId });
  const { list, get, create, update, delete: remove } = dataModelsEndpoints;
  return {
    list: (signal?: AbortSignal): Promise<DataModelReply[]> => client.call(list, { params, ...(signal && { signal }) }),
    get: (id: string, signal?: AbortSignal): Promise<DataModelReply> =>
      client.call(get, { params: of(id), ...(signal && { signal }) }),
    /** POST. Throws OutcomeUnknownError when the answer is lost, as the other writes do. */
    create: (body: DataModelRequest, signal?: AbortSignal): Promise<DataModelReply> =>
      client.call(create, { params, body, ...(signal && { signal }) }),
    update: (id: string, body: DataModelRequest, signal?: AbortSignal): Promise<DataModelReply> =>
      client.call(update, { params: of(id), body, ...(signal && { signal }) }),
    delete: async (id: string, signal?: AbortSignal): Promise<void> => {
      await client.call(remove, { params: of(id), ...(signal && { signal }) });
    },
    /** What the write of that name would send. */
    describeCreate: (body: DataModelRequest): DescribedRequest => client.describe(create, { params, body }),
    describeUpdate: (id: string, body: DataModelRequest): DescribedRequest =>
      client.describe(update, { params: of(id), body }),
    describeDelete: (id: string): DescribedRequest => client.describe(remove, { params: of(id) }),
  };
}
