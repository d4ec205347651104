// C. Data subject requests: one method per endpoint, and the links that their answers give.
import {
  type CancelReply,
  type CreateReply,
  type DiscoveryReply,
  dsrEndpoints,
  type DsrRequest,
  type RequestStatusReply,
} from '../contract/dsr.ts';
import type { Client, DescribedRequest, Reply, Sender, Sink } from '../http/types.ts';
import { type Dated, dated } from './dated.ts';

export type { SendOutcome, Sender } from '../http/types.ts';

export interface DsrApi {
  /**
   * POST a request. Status, headers and the raw text come along, because the answer is signed. Throws
   * OutcomeUnknownError when the answer is lost: `get` then tells.
   */
  create(body: DsrRequest, signal?: AbortSignal): Promise<Reply<CreateReply>>;
  /** The door for many requests: bytes that are JSON already, in the words of the wire. */
  openCreate(): Promise<Sender<CreateReply>>;
  /** The door for reading many; the id is the parameter `requestId`. */
  openGet(): Promise<Sender<RequestStatusReply>>;
  /** What `create` would send. */
  describeCreate(body: DsrRequest): DescribedRequest;
  get(requestId: string, signal?: AbortSignal): Promise<RequestStatusReply>;
  /** The same with the `date` header: the platform's own time, in milliseconds since the epoch. */
  getDated(requestId: string, signal?: AbortSignal): Promise<Dated<RequestStatusReply>>;
  /** All requests with a group id; none for one that is not known. */
  list(groupId: string, signal?: AbortSignal): Promise<RequestStatusReply[]>;
  listDated(groupId: string, signal?: AbortSignal): Promise<Dated<RequestStatusReply[]>>;
  /** DELETE a pending request. Throws OutcomeUnknownError when the answer is lost. */
  cancel(requestId: string, signal?: AbortSignal): Promise<CancelReply>;
  /** What `cancel` would send. */
  describeCancel(requestId: string): DescribedRequest;
  discovery(signal?: AbortSignal): Promise<DiscoveryReply>;
  /** GETs a `results_url` with the workspace's credentials; only below the address of the data subject requests. */
  results(url: string, sink: Sink, signal?: AbortSignal): Promise<void>;
  /** GETs discovery's `processor_certificate` without credentials; https, or http to this machine. */
  certificate(url: string, sink: Sink, signal?: AbortSignal): Promise<void>;
}

export function createDsrApi(client: Client): DsrApi {
  return {
    create: (body, signal) => client.exchange(dsrEndpoints.create, { body, ...(signal && { signal }) }),
    openCreate: () => client.openSender(dsrEndpoints.create),
    openGet: () => client.openSender(dsrEndpoints.get),
    describeCreate: (body) => client.describe(dsrEndpoints.create, { body }),
    get: (requestId, signal) => client.call(dsrEndpoints.get, { params: { requestId }, ...(signal && { signal }) }),
    getDated: async (requestId, signal) =>
      dated(await client.exchange(dsrEndpoints.get, { params: { requestId }, ...(signal && { signal }) })),
    list: (groupId, signal) =>
      client.call(dsrEndpoints.list, { query: { group_id: groupId }, ...(signal && { signal }) }),
    listDated: async (groupId, signal) =>
      dated(await client.exchange(dsrEndpoints.list, { query: { group_id: groupId }, ...(signal && { signal }) })),
    cancel: (requestId, signal) =>
      client.call(dsrEndpoints.cancel, { params: { requestId }, ...(signal && { signal }) }),
    describeCancel: (requestId) => client.describe(dsrEndpoints.cancel, { params: { requestId } }),
    discovery: (signal) => client.call(dsrEndpoints.discovery, { ...(signal && { signal }) }),
    results: (url, sink, signal) => client.download({ url, service: 'dsr', accept: '*/*' }, sink, signal),
    certificate: (url, sink, signal) =>
      client.download({ url, accept: 'application/x-pem-file, application/pem-certificate-chain, */*' }, sink, signal),
  };
}
