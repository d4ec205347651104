// Describes each platform call once, for the client, the emulator and the tests.
import type { Method } from './choices.ts';
import type * as z from 'zod/mini';
import { usageError } from '../kernel/errors.ts';

/** The service that a path belongs to. A profile has a base address for each service. */
export type Service = 'base' | 'auth' | 'dsr' | 'seeding' | 'identity';

/** The three kinds of credentials; `none` is for calls without an `Authorization` header, such as the token call. */
export type Auth = 'none' | 'bearer' | 'dsr-basic' | 'seeding-basic';

/**
 * How to continue when the response to a request is lost:
 * - `repeat`: send it again; a repeat is harmless;
 * - `confirm`: a read shows whether it took effect (the caller gets `OutcomeUnknownError`);
 * - `once`: do not send it again. (A 429, or a 401 that leads to a new token, is not a loss: the call normally had no
 * effect, so it is retried. If the platform rejects the retry, a read shows the outcome.)
 */
export type Safety = 'repeat' | 'confirm' | 'once';

/** Request budgets from the specification, shared by all processes of a user. */
export type Budget = 'roles';

/**
 * Marks deployment-specific names in a JSON value (see `names.ts`): `keys:PATH` marks the keys of the object at PATH,
 * and `value:PATH` the string at PATH. PATH is dotted: `*` is any key, `[]` any element, and an empty PATH the root.
 */
export type NameMark = `keys:${string}` | `value:${string}`;

export interface EndpointNames {
  body?: readonly NameMark[];
  reply?: readonly NameMark[];
  /** Query parameters whose values are marked names. */
  query?: readonly string[];
}

type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameters<Rest>
  : never;

/** Values for the `{placeholders}` in a path. */
export type ParamsOf<Path extends string> = Record<PathParameters<Path>, string | number | bigint>;

export interface Endpoint<
  Path extends string = string,
  Body extends z.ZodMiniType | undefined = z.ZodMiniType | undefined,
  Reply extends z.ZodMiniType | undefined = z.ZodMiniType | undefined,
> {
  /** Unique name `<area>.<verb>`, such as `roles.replace`. */
  readonly id: string;
  readonly service: Service;
  readonly auth: Auth;
  readonly method: Method;
  /** Path relative to the service's base URL, exactly as in the specification (including a trailing slash). */
  readonly path: Path;
  /** Success status in the specification. After another 2xx, only a read confirms a write. */
  readonly status: 200 | 201 | 202 | 204;
  /** Accepts any 2xx: the caller checks the status, because the body of any 2xx is evidence. */
  readonly anyStatus?: true;
  /** Strict request schema, which the emulator also uses. Absent if the call has no body. */
  readonly body?: Body;
  /** Loose schema of the response, which keeps unknown fields. Absent if the specification shows no body. */
  readonly reply?: Reply;
  /** The response may have any shape: JSON is parsed but not checked, and anything else is text. */
  readonly anyReply?: true;
  /** Media type of a non-JSON response. The address of such a call comes from another response. */
  readonly media?: string;
  /** Additional error statuses, which similar calls do not return. */
  readonly fails?: readonly number[];
  readonly query?: readonly string[];
  readonly safety: Safety;
  /** Path parameter -> reply field that repeats it (or `items[].…`). A reply about another resource is rejected. */
  readonly about?: Readonly<Record<string, string>>;
  readonly budget?: Budget;
  readonly names?: EndpointNames;
}

export function endpoint<
  const Path extends string,
  Body extends z.ZodMiniType | undefined = undefined,
  Reply extends z.ZodMiniType | undefined = undefined,
>(spec: Endpoint<Path, Body, Reply>): Endpoint<Path, Body, Reply> {
  return Object.freeze(spec);
}

type Row = Omit<Endpoint<string, z.ZodMiniType, z.ZodMiniType>, 'id' | 'service' | 'auth' | 'status' | 'safety'> &
  Partial<Pick<Endpoint, 'service' | 'auth' | 'status' | 'safety'>>;
type SchemaOf<T, Name extends string> = T extends Record<Name, infer Schema extends z.ZodMiniType> ? Schema : undefined;

/** A row may override service, credentials, status (default: 200) and safety (`repeat` for GET, else `confirm`). */
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

/** True for a call that may change the platform. A token request does not. */
export function changes({ method, service }: Endpoint): boolean {
  return method !== 'GET' && service !== 'auth';
}

/** Percent-encodes values, so that an id cannot change the path. Throws usage (2) for an id that cannot be encoded. */
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
  // Every URL parser resolves these segments, even if they are written as `%2E%2E`.
  if (value === '.' || value === '..')
    throw usageError(`${name} cannot be "${value}", which has a special meaning in a URL.`);
  return encodeText(name, value);
}
