// What an area of the platform (tokens, roles, …) brings along: its tables, its fixtures and a handler per endpoint.
import type { Endpoint, ParamsOf } from '../../contract/endpoint.ts';
import type { Caller } from './auth.ts';
import type { Fixtures } from '../fixtures/document.ts';
import type { Answer } from '../wire/platform-error.ts';
import type { DeploymentNames } from '../wire/names-edge.ts';
import type { PlatformClock } from '../base/clock.ts';
import type { Database } from '../base/db.ts';
import type { Directory } from './directory.ts';
import type { Faults } from '../wire/faults.ts';
import type { Recorder } from '../wire/recorder.ts';
import type { RequestLog } from '../wire/request-log.ts';
import type { Signing } from './signing.ts';
import type { ProfilesStore } from '../stores/profiles.ts';
import type { Tokens } from '../stores/tokens.ts';
import type { IngestGate } from './ingest-gate.ts';

/** What every area is given. */
export interface Platform {
  readonly db: Database;
  readonly clock: PlatformClock;
  readonly fixtures: Fixtures;
  /** The file that stands for a warehouse which the fixtures do not name. */
  readonly warehouse: string | undefined;
  readonly directory: Directory;
  readonly tokens: Tokens;
  readonly profiles: ProfilesStore;
  /** E and F are provisioned together. */
  readonly ingest: IngestGate;
  readonly log: RequestLog;
  readonly recorder: Recorder;
  readonly faults: Faults;
  readonly signing: Signing;
  /** The words of a deployment, mapped at the edge (`exchange.ts`). */
  readonly names: DeploymentNames;
  /** Has what fell due this moment done soon, without waiting for it. */
  wake(): void;
  /** The audience of tokens besides the platform's own addresses. */
  readonly audience: string | undefined;
  /** The address that the platform tells of itself, without a trailing slash. Known once the server listens. */
  baseUrl(): string;
  /** The address by which a request called the platform, from its `Host`. */
  addressOf(host: string | undefined): string;
}

/** A request whose credentials were checked. */
export interface PlatformRequest<Params> {
  params: Params;
  query: URLSearchParams;
  /** A header by its lower-case name; the first one when it came more than once. */
  header(name: string): string | undefined;
  /** The body in neutral words. */
  body: Buffer;
  /** The body as it came. */
  raw: Buffer;
  caller: Caller;
}

type ParamsFor<E> = E extends Endpoint<infer Path> ? Record<keyof ParamsOf<Path>, string> : never;

export type Handler<E> = (request: PlatformRequest<ParamsFor<E>>) => Answer | Promise<Answer>;

/** A handler for every endpoint of an area, under the endpoint's name in the contract. */
export type Handlers<Endpoints> = { [Name in keyof Endpoints]: Handler<Endpoints[Name]> };

/** What answers link to: an address that is no call of the specification. */
export interface LinkRoute {
  endpoint: Endpoint;
  handle: Handler<Endpoint>;
}

/** Declares a link with its handler, so that its parameters are typed. */
export function link<E extends Endpoint>(endpoint: E, handle: Handler<E>): LinkRoute {
  return { endpoint, handle: handle as unknown as Handler<Endpoint> };
}

/** Calls of the control address: `POST /role-assignments`. `body` is the parsed JSON, undefined without a body. */
export type ControlRoutes = Record<
  `${'GET' | 'POST' | 'DELETE'} /${string}`,
  (body: unknown, query: URLSearchParams) => Answer | Promise<Answer>
>;

/** An area of a running platform. */
export interface OpenArea<Endpoints> {
  handlers: Handlers<Endpoints>;
  links?: readonly LinkRoute[];
  control?: ControlRoutes;
  /** Forgets everything and takes what the fixtures say. Called inside a transaction. */
  load?(fixtures: Fixtures): void;
  /** When the earliest of what this area owes falls due (epoch ms); undefined when it owes nothing. */
  nextDue?(): number | undefined;
  /**
   * Does what has fallen due by `now` (epoch ms), in order. With `nextDue`, it is called for one moment after the
   * other, in turn with the other areas, and may leave a part to its next call, so that others get a turn; without, when the clock has moved and whenever another area does something.
   */
  catchUp?(now: number): void | Promise<void>;
  /** Ends what is under way in other threads. What is not done is taken up again at the next opening. */
  close?(): Promise<void>;
}

export interface Area<Endpoints = Record<string, Endpoint>> {
  name: string;
  /** This area's part of the contract. */
  endpoints: Endpoints;
  /** SQL steps: the first makes the tables, each later one brings them one version on. Never changed, only added to. */
  migrations: readonly string[];
  open(platform: Platform): OpenArea<Endpoints>;
}

/** Declares an area, so that a handler too few or too many is a type error. */
export function defineArea<const Endpoints extends Record<string, Endpoint>>(area: Area<Endpoints>): Area {
  return area as unknown as Area;
}
