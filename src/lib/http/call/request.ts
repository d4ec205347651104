// Builds a request from an endpoint and its input: address, path, query and body, without credentials.
import { encodeText, type Endpoint, fillPath, type Service } from '../../contract/endpoint.ts';
import { type BaseAddress, readBaseAddress } from '../../kernel/address.ts';
import { usageError } from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json.ts';

/** `CallInput` with its types erased, for the inside of the client. */
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
  /** JSON with exact integers; undefined for a call without a body. */
  body: string | Buffer | undefined;
  /** Fields of the reply with the values that they must repeat. */
  about?: readonly (readonly [field: string, value: string])[];
  /** The `accept` header of a call for something other than JSON; its response must not be compressed. */
  accept?: string;
  headers?: Record<string, string>;
}

/**
 * Builds the request below the base address `address`. Throws KnownError (usage) for an invalid address, and for an id
 * that no path can contain.
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

const VARIABLES: Record<Service, string> = {
  base: 'CDPADM_BASE_URL',
  auth: 'CDPADM_AUTH_URL',
  dsr: 'CDPADM_DSR_BASE_URL',
  seeding: 'CDPADM_SEEDING_URL',
  identity: 'CDPADM_IDENTITY_URL',
};

/** Checks a configured address. Throws KnownError (usage), naming the variable that sets it. */
export function parseAddress(service: Service, address: string): BaseAddress {
  const read = readBaseAddress(address);
  if (!('problem' in read)) return read;
  throw usageError(`The ${service} address ${read.problem}.`, `Set ${VARIABLES[service]} to a valid address.`);
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
