// From an endpoint and its input to the request that is sent: address, path, query and body, without credentials.
import { encodeText, type Endpoint, fillPath } from '../../contract/endpoint.ts';
import { stringifyJson } from '../../kernel/json.ts';
import { parseAddress } from './address.ts';

/** `CallInput` with its types erased: what the inside of the client works with. */
export interface AnyInput {
  params?: Record<string, string | number | bigint> | undefined;
  query?: Record<string, string | number | bigint | boolean | undefined> | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  reserved?: boolean | undefined;
  mayRepeat?: (() => Promise<boolean>) | 'never' | undefined;
}

export interface BuiltRequest {
  method: string;
  origin: string;
  /** With the base address's prefix, without the query. */
  path: string;
  /** `?a=b`, or empty. */
  query: string;
  /** JSON text with exact integers; undefined for a call without a body. */
  body: string | undefined;
  /** Fields of the reply, each with the value that it must have to be about what was asked for. */
  about?: readonly (readonly [field: string, value: string])[];
  /** The `accept` header of a call that wants something else than JSON; nothing is then compressed on the way. */
  accept?: string;
  headers?: Record<string, string>;
}

/**
 * Builds the request for the base address `address`. Throws KnownError (usage) for an address that cannot be used or an
 * id that no path can hold.
 */
export function buildRequest(endpoint: Endpoint, input: AnyInput, address: string): BuiltRequest {
  const { origin, prefix } = parseAddress(endpoint.service, address);
  const params = input.params ?? {};
  return {
    method: endpoint.method,
    origin,
    path: prefix + fillPath(endpoint.path, params),
    query: queryOf(input.query ?? {}),
    body: input.body === undefined ? undefined : stringifyJson(input.body),
    ...(endpoint.about && {
      about: Object.entries(endpoint.about).map(([name, field]) => [field, String(params[name])] as const),
    }),
  };
}

export function urlOf(request: BuiltRequest): string {
  return request.origin + request.path + request.query;
}

function queryOf(query: Record<string, string | number | bigint | boolean | undefined>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeText(name, String(value))}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
