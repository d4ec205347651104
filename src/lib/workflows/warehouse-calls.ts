// One interface to the three kinds of resources of warehouse sync.
import type { Api } from '../api/index.ts';
import { comparable, type Definition, GROUPS, NOUNS, type ResourceType } from '../domain/warehouse/definition.ts';

/** The fields that all kinds have in a response. */
export type ResourceReply = Record<string, unknown> & {
  id: string;
  errors?: { message?: string | null | undefined }[] | null | undefined;
};

type DescribedWrite = ReturnType<Api['pipelines']['describeDelete']>;

/** The three clients differ only in the types of their bodies, which the schema of each kind has checked. */
interface ResourceClient {
  list(signal: AbortSignal): Promise<ResourceReply[]>;
  get(id: string, signal: AbortSignal): Promise<ResourceReply>;
  create(body: Definition, signal: AbortSignal): Promise<ResourceReply>;
  update(id: string, body: Definition, signal: AbortSignal, options: object): Promise<ResourceReply>;
  delete(id: string, signal: AbortSignal): Promise<void>;
  describeCreate(body: Definition): DescribedWrite;
  describeUpdate(id: string, body: Definition, options: object): DescribedWrite;
  describeDelete(id: string): DescribedWrite;
}

export type WarehouseCalls = ReturnType<typeof warehouseCalls>;

/** `allowReset`: an update of a pipeline may change its sync mode, which resets the sync position. */
export function warehouseCalls(api: Api, type: ResourceType, { allowReset = false } = {}) {
  const clients = { connection: 'connections', data_model: 'dataModels', pipeline: 'pipelines' } as const;
  const client = api[clients[type]] as unknown as ResourceClient;
  const options = allowReset ? { preventResets: false } : {};
  return {
    type,
    noun: NOUNS[type],
    look: `${GROUPS[type]} get`,
    ...client,
    update: (id: string, body: Definition, signal: AbortSignal) => client.update(id, body, signal, options),
    describeUpdate: (id: string, body: Definition) => client.describeUpdate(id, body, options),
    comparable: (definition: ResourceReply | Definition) => comparable(type, definition),
  };
}
