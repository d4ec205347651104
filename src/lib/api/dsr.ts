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

export type DsrApi = ReturnType<typeof createDsrApi>;

export function createDsrApi(client: Client) {
  return {
    /**
     * POST a request. Status, headers and the raw text come along, because the answer is signed. Throws
     * OutcomeUnknownError when the answer is lost: `get` then tells.
     */
    create: (body: DsrRequest, signal?: AbortSignal): Promise<Reply<CreateReply>> =>
      client.exchange(dsrEndpoints.create, { body, ...(signal && { signal }) }),
    /** The door for many requests: bytes that are JSON already, in the words of the wire. */
    openCreate: (): Promise<Sender<CreateReply>> => client.openSender(dsrEndpoints.create),
    /** The door for reading many; the id is the parameter `requestId`. */
    openGet: (): Promise<Sender<RequestStatusReply>> => client.openSender(dsrEndpoints.get),
    /** What `create` would send. */
    describeCreate: (body: DsrRequest): DescribedRequest => client.describe(dsrEndpoints.create, { body }),
    get: (requestId: string, signal?: AbortSignal): Promise<RequestStatusReply> =>
      client.call(dsrEndpoints.get, { params: { requestId }, ...(signal && { signal }) }),
    /** The same with the `date` header: the platform's own time, in milliseconds since the epoch. */
    getDated: async (requestId: string, signal?: AbortSignal): Promise<Dated<RequestStatusReply>> =>
      dated(await client.exchange(dsrEndpoints.get, { params: { requestId }, ...(signal && { signal }) })),
    /** All requests with a group id; none for one that is not known. */
    list: (groupId: string, signal?: AbortSignal): Promise<RequestStatusReply[]> =>
      client.call(dsrEndpoints.list, { query: { group_id: groupId }, ...(signal && { signal }) }),
    listDated: async (groupId: string, signal?: AbortSignal): Promise<Dated<RequestStatusReply[]>> =>
      dated(await client.exchange(dsrEndpoints.list, { query: { group_id: groupId }, ...(signal && { signal }) })),
    /** DELETE a pending request. Throws OutcomeUnknownError when the answer is lost. */
    cancel: (requestId: string, signal?: AbortSignal): Promise<CancelReply> =>
      client.call(dsrEndpoints.cancel, { params: { requestId }, ...(signal && { signal }) }),
    /** What `cancel` would send. */
    describeCancel: (requestId: string): DescribedRequest =>
      client.describe(dsrEndpoints.cancel, { params: { requestId } }),
    discovery: (signal?: AbortSignal): Promise<DiscoveryReply> =>
      client.call(dsrEndpoints.discovery, { ...(signal && { signal }) }),
    /** GETs a `results_url` with the workspace's credentials; only below the address of the data subject requests. */
    results: (url: string, sink: Sink, signal?: AbortSignal): Promise<void> =>
      client.download({ url, service: 'dsr', accept: '*/*' }, sink, signal),
    /** GETs discovery's `processor_certificate` without credentials; https, or http to this machine. */
    certificate: (url: string, sink: Sink, signal?: AbortSignal): Promise<void> =>
      client.download({ url, accept: 'application/x-pem-file, application/pem-certificate-chain, */*' }, sink, signal),
  };
}
