// D. Data models: one method per endpoint.
import { type DataModelReply, type DataModelRequest, dataModelsEndpoints } from '../contract/data-models.ts';
import type { Client, DescribedRequest } from '../http/types.ts';
import type { WorkspaceScope } from './connections.ts';

export interface DataModelsApi {
  list(signal?: AbortSignal): Promise<DataModelReply[]>;
  get(modelId: string, signal?: AbortSignal): Promise<DataModelReply>;
  /** POST. Throws OutcomeUnknownError when the answer is lost, as the other writes do. */
  create(model: DataModelRequest, signal?: AbortSignal): Promise<DataModelReply>;
  update(modelId: string, model: DataModelRequest, signal?: AbortSignal): Promise<DataModelReply>;
  delete(modelId: string, signal?: AbortSignal): Promise<void>;
  /** What the write of that name would send. */
  describeCreate(model: DataModelRequest): DescribedRequest;
  describeUpdate(modelId: string, model: DataModelRequest): DescribedRequest;
  describeDelete(modelId: string): DescribedRequest;
}

export function createDataModelsApi(client: Client, { workspaceId }: WorkspaceScope): DataModelsApi {
  const params = { workspaceId };
  const of = (modelId: string) => ({ workspaceId, modelId });
  const { list, get, create, update, delete: remove } = dataModelsEndpoints;
  return {
    list: (signal) => client.call(list, { params, ...(signal && { signal }) }),
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
