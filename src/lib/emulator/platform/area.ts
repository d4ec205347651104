// Parts of a platform area (tokens, roles, …): tables, fixtures, and a handler for each endpoint.
import type { Endpoint, ParamsOf } from '../../contract/endpoint.ts';
import type { Caller, Directory } from './auth.ts';
import type { Fixtures } from '../fixtures/document.ts';
import type { Answer } from '../wire/platform-error.ts';
import type { DeploymentNames } from '../wire/names-edge.ts';
import type { PlatformClock } from '../base/clock.ts';
import type { Database } from '../base/db.ts';
import type { openFaults } from '../wire/faults.ts';
import type { openRequestLog } from '../wire/request-log.ts';
import type { Signing } from './signing.ts';
import type { ProfilesStore } from '../stores/profiles.ts';
import type { Tokens } from '../stores/tokens.ts';
import type { createIngestGate } from './ingest-gate.ts';

/** Environment shared by all areas. */
export interface Platform {
  readonly db: Database;
  readonly clock: PlatformClock;
  readonly fixtures: Fixtures;
  /** Warehouse file that pipelines read if the fixtures do not define one. */
  readonly warehouse: string | undefined;
  readonly directory: Directory;
  readonly tokens: Tokens;
  readonly profiles: ProfilesStore;
  /** Areas E and F of the specification share one limit. */
  readonly ingest: ReturnType<typeof createIngestGate>;
  readonly log: ReturnType<typeof openRequestLog>;
  readonly faults: ReturnType<typeof openFaults>;
  readonly signing: Signing;
  /** The deployment's own words, which `exchange.ts` translates. */
  readonly names: DeploymentNames;
  /** Returns the email address for a client id or other name. */
  emailOf(name: string): string;
  /** Runs due work in the background. */
  wake(): void;
  /** Token audience, in addition to the platform's own addresses. */
  readonly audience: string | undefined;
  /** Returns the platform's address without a trailing slash. Available once the server listens. */
  baseUrl(): string;
  /** Returns the platform's address for a response: the public one, or the one in the request's `Host`. */
  addressOf(host: string | undefined): string;
}

/** A request whose credentials are valid, if its endpoint requires any. */
export interface PlatformRequest<Params> {
  params: Params;
  query: URLSearchParams;
  /** Returns the value of a header by its lowercase name: the first value if the header is repeated. */
  header(name: string): string | undefined;
  /** Body in neutral words. */
  body: Buffer;
  /** Body as received. */
  raw: Buffer;
  caller: Caller;
}

type ParamsFor<E> = E extends Endpoint<infer Path> ? Record<keyof ParamsOf<Path>, string> : never;

export type Handler<E> = (request: PlatformRequest<ParamsFor<E>>) => Answer | Promise<Answer>;

export type Handlers<Endpoints> = { [Name in keyof Endpoints]: Handler<Endpoints[Name]> };

/** Calls to the control address, such as `POST /role-assignments`. `body` is the parsed JSON, if there is any. */
export type ControlRoutes = Record<
  `${'GET' | 'POST' | 'DELETE'} /${string}`,
  (body: unknown, query: URLSearchParams) => Answer | Promise<Answer>
>;

export interface OpenArea<Endpoints> {
  handlers: Handlers<Endpoints>;
  control?: ControlRoutes;
  /** Replaces the state with the fixtures. Called inside a transaction. */
  load?(fixtures: Fixtures): void;
  /** Returns the time of the next due work (epoch ms); undefined if there is none. */
  nextDue?(): number | undefined;
  /**
   * Runs the work that is due by `now` (epoch ms), in order. If `nextDue` exists, `catchUp` is called for each due
   * time, alternating with other areas, and may leave part of the work for the next call. Otherwise, it is called each
   * time another area has done some work, and when no more work is due.
   */
  catchUp?(now: number, isAwaited: boolean): void | Promise<void>;
  /** Called after each `catchUp` with `isAwaited`. Waits at most `ms` until its messages are sent. */
  sent?(ms: number): Promise<void>;
  /** Stops background work, which resumes after the next start. */
  close?(): Promise<void>;
}

export interface Area<Endpoints = Record<string, Endpoint>> {
  name: string;
  endpoints: Endpoints;
  /** SQL steps: the first creates the current tables, and each later one upgrades older tables. Never remove a step. */
  migrations: readonly string[];
  open(platform: Platform): OpenArea<Endpoints>;
}

/** Declares an area. Makes a missing or unknown handler a type error. */
export function defineArea<const Endpoints extends Record<string, Endpoint>>(area: Area<Endpoints>): Area {
  return area as unknown as Area;
}
