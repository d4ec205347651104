// Data subject requests (specification, C): calls to each endpoint, and downloads of the links in responses.
import { dsrEndpoints, type DsrRequest } from '../contract/dsr.ts';
import type { Client, Reply, Sink } from '../http/types.ts';

export type { SendOutcome, Sender } from '../http/types.ts';

/** A response body, and the `date` header in epoch milliseconds; undefined if it is missing or invalid. */
export interface Dated<T> {
  body: T;
  date: number | undefined;
}

export function dated<T>({ body, headers }: Reply<T>): Dated<T> {
  const date = Date.parse(headers['date'] ?? '');
  return { body, date: Number.isNaN(date) ? undefined : date };
}

export type DsrApi = ReturnType<typeof createDsrApi>;

export function createDsrApi(client: Client) {
  const { create, get, list, cancel, discovery } = dsrEndpoints;
  const getInput = (requestId: string, signal?: AbortSignal) => ({ params: { requestId }, signal });
  return {
    /** POSTs a request. Returns the response with its status, headers and raw text, because the platform signs it. */
    create: (body: DsrRequest, signal?: AbortSignal) => client.exchange(create, { body, signal }),
    describeCreate: (body: DsrRequest) => client.describe(create, { body }),
    openCreate: () => client.openSender(create),
    /** Opens a sender that reads requests. Its `requestId` parameter is the id of the request to read. */
    openGet: () => client.openSender(get),
    get: async (requestId: string, signal?: AbortSignal) => {
      const reply = await client.exchange(get, getInput(requestId, signal));
      return { ...dated(reply), reply };
    },
    /** Returns all requests with this group id; an empty list if there are none. */
    list: async (group_id: string, signal?: AbortSignal) =>
      dated(await client.exchange(list, { query: { group_id }, signal })),
    cancel: (requestId: string, signal?: AbortSignal) => client.call(cancel, getInput(requestId, signal)),
    describeCancel: (requestId: string) => client.describe(cancel, getInput(requestId)),
    discovery: (signal?: AbortSignal) => client.call(discovery, { signal }),
    describeDiscovery: () => client.describe(discovery, {}),
    /** GETs a `results_url` with the workspace's credentials. The URL must be under the DSR base address. */
    results: (url: string, sink: Sink, signal?: AbortSignal): Promise<void> =>
      client.download({ url, service: 'dsr', accept: '*/*' }, sink, signal),
    /** GETs the `processor_certificate` of discovery without credentials. HTTP is allowed only for this machine. */
    certificate: (url: string, sink: Sink, signal?: AbortSignal): Promise<void> =>
      client.download({ url, accept: 'application/x-pem-file, application/pem-certificate-chain, */*' }, sink, signal),
  };
}
