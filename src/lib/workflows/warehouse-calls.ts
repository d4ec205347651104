// The three kinds of resources of warehouse sync, written and read in one way.
import type { Api } from '../api/index.ts';
import type { ConnectionRequest } from '../contract/connections.ts';
import type { DataModelRequest } from '../contract/data-models.ts';
import type { PipelineRequest } from '../contract/pipelines.ts';
import { comparable, type Definition, GROUPS, NOUNS, type ResourceType } from '../domain/warehouse/definition.ts';
import type { ResourceCalls } from './resource-write.ts';

/** What the platform answers, as far as all kinds have it. */
export type ResourceReply = Record<string, unknown> & {
  id: string;
  errors?: { message?: string | null | undefined }[] | null | undefined;
};

export type DescribedWrite = ReturnType<Api['pipelines']['describeDelete']>;

export interface WarehouseCalls extends ResourceCalls<ResourceReply, Definition> {
  readonly type: ResourceType;
  list(signal: AbortSignal): Promise<ResourceReply[]>;
  /** What the write of that name would send. */
  describeCreate(body: Definition): DescribedWrite;
  describeUpdate(id: string, body: Definition): DescribedWrite;
  describeDelete(id: string): DescribedWrite;
}

/** `allowReset`: an update of a pipeline may change its sync mode, which resets the sync position. */
export function warehouseCalls(api: Api, type: ResourceType, { allowReset = false } = {}): WarehouseCalls {
  const common = {
    type,
    noun: NOUNS[type],
    look: `${GROUPS[type]} get`,
    comparable: (definition: ResourceReply | Definition) => comparable(type, definition),
  };
  switch (type) {
    case 'connection': {
      const calls = api.connections;
      return {
        ...common,
        list: (signal) => calls.list(undefined, signal),
        get: (id, signal) => calls.get(id, signal),
        create: (body, signal) => calls.create(body as unknown as ConnectionRequest, signal),
        update: (id, body, signal) => calls.update(id, body as unknown as ConnectionRequest, signal),
        delete: (id, signal) => calls.delete(id, signal),
        describeCreate: (body) => calls.describeCreate(body as unknown as ConnectionRequest),
        describeUpdate: (id, body) => calls.describeUpdate(id, body as unknown as ConnectionRequest),
        describeDelete: (id) => calls.describeDelete(id),
      };
    }
    case 'data_model': {
      const calls = api.dataModels;
      return {
        ...common,
        list: (signal) => calls.list(signal),
        get: (id, signal) => calls.get(id, signal),
        create: (body, signal) => calls.create(body as unknown as DataModelRequest, signal),
        update: (id, body, signal) => calls.update(id, body as unknown as DataModelRequest, signal),
        delete: (id, signal) => calls.delete(id, signal),
        describeCreate: (body) => calls.describeCreate(body as unknown as DataModelRequest),
        describeUpdate: (id, body) => calls.describeUpdate(id, body as unknown as DataModelRequest),
        describeDelete: (id) => calls.describeDelete(id),
      };
    }
    case 'pipeline': {
      const calls = api.pipelines;
      const options = allowReset ? { preventResets: false } : {};
      return {
        ...common,
        list: (signal) => calls.list(signal),
        get: (id, signal) => calls.get(id, signal),
        create: (body, signal) => calls.create(body as unknown as PipelineRequest, signal),
        update: (id, body, signal) => calls.update(id, body as unknown as PipelineRequest, { ...options, signal }),
        delete: (id, signal) => calls.delete(id, signal),
        describeCreate: (body) => calls.describeCreate(body as unknown as PipelineRequest),
        describeUpdate: (id, body) => calls.describeUpdate(id, body as unknown as PipelineRequest, options),
        describeDelete: (id) => calls.describeDelete(id),
      };
    }
  }
}
