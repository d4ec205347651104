// Describes one call of the platform: the only description that client, emulator and tests read.
import type { Method } from './choices.ts';
import type { ZodMiniType } from 'zod/mini';
import { usageError } from '../kernel/errors.ts';

/** The service of a path (a profile has one base address for each). */
export type Service = 'base' | 'auth' | 'dsr' | 'seeding' | 'identity';

/** The three kinds of credentials, and none for the token call. */
export type Auth = 'none' | 'bearer' | 'dsr-basic' | 'seeding-basic';

/**
 * How to continue when the response to a request is lost:
 * - `repeat`: send it again; a repeat is harmless;
 * - `confirm`: a read decides (the caller gets `OutcomeUnknownError`);
 * - `once`: never send it again.
 * A 429, or a 401 that leads to a new token, normally has no effect, so the call is repeated. If the platform rejects
 * the repeat, a read decides the outcome.
 */
export type Safety = 'repeat' | 'confirm' | 'once';

/** Request budgets from the specification, shared by all processes of one user. */
export type Budget = 'roles';

/**
 * Marks a deployment's own words in a JSON value (see `names.ts`): `keys:PATH` the keys of the object at PATH, `value:PATH`
 * the string at PATH. A path is dotted; `*` is any key, `[]` any element, empty is the root.
 */
export type NameMark = `keys:${string}` | `value:${string}`;

export interface EndpointNames {
  body?: readonly NameMark[];
  reply?: readonly NameMark[];
  /** Query parameters whose value is a marked word. */
  query?: readonly string[];
}

type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameters<Rest>
  : never;

/** Values for the `{placeholders}` of a path. */
export type ParamsOf<Path extends string> = Record<PathParameters<Path>, string | number | bigint>;

export interface EndpointSpec<
  Path extends string,
  Body extends ZodMiniType | undefined,
  Reply extends ZodMiniType | undefined,
> {
  /** `<area>.<verb>`, unique: `roles.replace`. */
  id: string;
  service: Service;
  auth: Auth;
  method: Method;
  /** Below the service's base address, in the specification's own spelling (trailing slash included). */
  path: Path;
  /** The success status of the specification. The client accepts a different 2xx only where a body or a read confirms it. */
  status: 200 | 201 | 202 | 204;
  /** The request, strict; the emulator uses the same schema. Absent when the call has no body. */
  body?: Body;
  /** The response, loose: unknown fields are kept. Absent when the specification shows no body. */
  reply?: Reply;
  /** The response may have any shape: JSON is parsed and not checked, anything else is text. */
  anyReply?: true;
  /** Names of the query parameters. */
  query?: readonly string[];
  safety: Safety;
  /** Path parameter -> the field of the reply that repeats it. A reply about a different resource is not trusted. */
  about?: Readonly<Record<string, string>>;
  budget?: Budget;
  names?: EndpointNames;
}

export type Endpoint<
  Path extends string = string,
  Body extends ZodMiniType | undefined = ZodMiniType | undefined,
  Reply extends ZodMiniType | undefined = ZodMiniType | undefined,
> = Readonly<EndpointSpec<Path, Body, Reply>>;

/** Declares one call of the platform. */
export function endpoint<
  const Path extends string,
  Body extends ZodMiniType | undefined = undefined,
  Reply extends ZodMiniType | undefined = undefined,
>(spec: EndpointSpec<Path, Body, Reply>): Endpoint<Path, Body, Reply> {
  return Object.freeze(spec);
}

type Row = Omit<EndpointSpec<string, ZodMiniType, ZodMiniType>, 'id' | 'service' | 'auth' | 'status' | 'safety'> &
  Partial<Pick<Endpoint, 'service' | 'status' | 'safety'>>;
type SchemaOf<T, Name extends string> = T extends Record<Name, infer Schema extends ZodMiniType> ? Schema : undefined;

/**
 * Declares the calls of an area. Unless a row overrides them, the service is the area's and the status is 200. A GET
 * may be repeated; any other call must be confirmed by a read, unless the row says otherwise.
 */
export function endpoints<const Rows extends Record<string, Row>>(
  area: string,
  service: Service,
  auth: Auth,
  rows: Rows,
) {
  const all = Object.entries<Row>(rows).map(([verb, row]) => {
    const safety = row.method === 'GET' ? 'repeat' : 'confirm';
    return [verb, endpoint({ id: `${area}.${verb}`, service, auth, status: 200, safety, ...row })];
  });
  return Object.fromEntries(all) as {
    readonly [Verb in keyof Rows]: Endpoint<
      Rows[Verb]['path'],
      SchemaOf<Rows[Verb], 'body'>,
      SchemaOf<Rows[Verb], 'reply'>
    >;
  };
}

/**
 * Fills a path's placeholders, percent-encoded, so that an id cannot change the path. Throws a usage error for the few ids
 * that cannot be encoded.
 */
export function fillPath(path: string, params: Record<string, string | number | bigint>): string {
  return path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = params[name];
    if (value === undefined) throw new TypeError(`path ${path} lacks ${name}`);
    return encodeSegment(name, String(value));
  });
}

/** Encodes a value for a URL. Throws a usage error for a lone surrogate, which cannot be encoded. */
export function encodeText(name: string, value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    throw usageError(`${name} is not valid Unicode.`);
  }
}

function encodeSegment(name: string, value: string): string {
  if (value === '') throw usageError(`${name} is empty.`);
  // Every URL parser resolves these, even as `%2E%2E`.
  if (value === '.' || value === '..')
    throw usageError(`${name} cannot be "${value}", which has a special meaning in a URL.`);
  return encodeText(name, value);
}
