// Builds a request from an endpoint and its input, in a deployment's own words. Also writes requests as curl commands.
import { encodeText, type Endpoint, fillPath, type Service } from '../../contract/endpoint.ts';
import { type BaseAddress, readBaseAddress } from '../../kernel/address.ts';
import { usageError } from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json.ts';
import { shellQuoted } from '../../kernel/words.ts';
import { createWireNames, type NamesMap } from '../../contract/names.ts';
import type { AnyInput } from '../types.ts';

export interface BuiltRequest {
  method: string;
  origin: string;
  /** Path with the base address's prefix, without the query. */
  path: string;
  query: string;
  /** JSON with exact integers; undefined for a call without a body. */
  body: string | Buffer | undefined;
  about?: readonly (readonly [field: string, value: string])[];
  /** The `accept` header of a call for content other than JSON. The response must not be compressed. */
  accept?: string;
  headers?: Record<string, string>;
}

/** Throws KnownError (usage) for an invalid address, or for an id that cannot be part of a path. */
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

/** Parses a configured address. Throws KnownError (usage) that names the variable to set. */
export function parseAddress(service: Service, address: string): BaseAddress {
  const read = readBaseAddress(address);
  if (!('problem' in read)) return read;
  throw usageError(`The ${service} address ${read.problem}.`, `Set ${VARIABLES[service]} to a valid address.`);
}

export function urlOf(request: Pick<BuiltRequest, 'origin' | 'path' | 'query'>): string {
  return request.origin + request.path + request.query;
}

function queryOf(query: Record<string, string | number | bigint | boolean | undefined>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeText(name, String(value))}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

export class CurlPrinted extends Error {
  override name = 'CurlPrinted';
  override message = 'the equivalent curl command was printed; nothing was sent';
}

/** Returns a multi-line shell command. Values are in single quotes, except the placeholders for credentials. */
export function curlCommand(
  endpoint: Pick<Endpoint, 'auth'>,
  request: Pick<BuiltRequest, 'accept' | 'body' | 'method' | 'origin' | 'path' | 'query'>,
): string {
  const lines = [`curl --silent --show-error --request ${request.method} ${shellQuoted(urlOf(request))}`];
  lines.push(`--header ${shellQuoted(`accept: ${request.accept ?? 'application/json'}`)}`);
  if (endpoint.auth === 'bearer') lines.push('--header "authorization: Bearer $CDPADM_ACCESS_TOKEN"');
  else if (endpoint.auth !== 'none') lines.push('--user "$CDPADM_WORKSPACE_KEY:$CDPADM_WORKSPACE_SECRET"');
  if (request.body !== undefined)
    lines.push("--header 'content-type: application/json'", `--data-raw ${shellQuoted(request.body.toString())}`);
  return lines.join(' \\\n  ');
}

export function createNamesEdge(map: NamesMap | undefined) {
  const names = createWireNames(map ?? {});
  return {
    encode: <Input extends AnyInput>(endpoint: Endpoint, input: Input): Input => {
      const { body = [], query = [] } = endpoint.names ?? {};
      if (names.empty) return input;
      const encoded = { ...input, ...(input.query && { query: { ...input.query } }) };
      if (input.body !== undefined) encoded.body = names.encode(input.body, body);
      for (const name of query) {
        const value = encoded.query?.[name];
        if (encoded.query && typeof value === 'string') encoded.query[name] = names.toWire(value);
      }
      return encoded;
    },
    decode: (endpoint: Endpoint, value: unknown) => names.decode(value, endpoint.names?.reply ?? []),
  };
}
