// The environment that all areas of the platform (tokens, roles, …) share, and the parts of an area.
import type { Endpoint, ParamsOf } from '../../contract/endpoint.ts';
import { namesIssues } from '../../contract/neutral-words.ts';
import type { Clock } from '../../kernel/clock.ts';
import { invalidInput } from '../../kernel/errors.ts';
import { openClock } from '../base/clock.ts';
import type { Database, StoredSettings } from '../base/db.ts';
import type { EmulatorOptions } from '../base/embedding.ts';
import { adoptIdentity } from '../fixtures/adopt.ts';
import { type Fixtures, readFixtures } from '../fixtures/document.ts';
import { SAMPLES } from '../fixtures/samples.ts';
import { createProfiles } from '../stores/profiles.ts';
import { createTokens } from '../stores/tokens.ts';
import { openFaults } from '../wire/faults.ts';
import { deploymentNames } from '../wire/names-edge.ts';
import { type Answer, rejection } from '../wire/platform-error.ts';
import { createRateLimit } from '../wire/rate.ts';
import { openRequestLog } from '../wire/request-log.ts';
import { type Caller, createDirectory } from './auth.ts';
import type { Signing } from './signing.ts';

/** Additional options for this program's own commands and tests. */
export interface StartOptions extends Omit<EmulatorOptions, 'fixtures'> {
  /** Fixtures document, checked when the platform opens. */
  fixtures?: unknown;
  /** The machine's clock; tests pass their own. */
  systemClock?: Clock;
}

export interface PlatformOptions extends StartOptions {
  signing: Signing;
  systemClock: Clock;
  /** Returns the platform's address without a trailing slash. Available once the server listens. */
  baseUrl: () => string;
  /** Returns the platform's address for a response: the public one, or the one in the request's `Host`. */
  addressOf: (host: string | undefined) => string;
}

const FIXTURES_KEY = 'fixtures';

const intakeLimited = (seconds: string) => rejection(429, 'Provisioned limit exceeded', { 'retry-after': seconds });

export type Platform = Readonly<ReturnType<typeof openEnvironment>>;

/** Opens the environment of all areas. `wake` runs due work in the background. Throws KnownError for invalid fixtures. */
export function openEnvironment(db: Database, settings: StoredSettings, options: PlatformOptions, wake: () => void) {
  const { identity = {}, names, signing, warehouse, baseUrl, addressOf } = options;
  const clock = openClock(settings, options.systemClock, options.clock);
  const given = readFixtures(options.fixtures ?? settings.get(FIXTURES_KEY) ?? SAMPLES);
  if (options.fixtures !== undefined) settings.set(FIXTURES_KEY, options.fixtures);
  const issues = namesIssues(names ?? {}).map(({ name, message }) => ({ path: name, message }));
  if (issues.length > 0) throw invalidInput('The names map is invalid.', issues);
  const fixtures = adoptIdentity({ ...given, ...(names && { names }) }, identity);
  return {
    db,
    clock,
    fixtures,
    /** Warehouse file that pipelines read if the fixtures do not define one. */
    warehouse,
    directory: createDirectory(fixtures, identity),
    tokens: createTokens(db, clock),
    profiles: createProfiles(db),
    /** Areas E and F share one count per workspace (decision: D71). */
    intakeRate: createRateLimit(fixtures.limits.intake_per_second, clock, intakeLimited, 1000),
    log: openRequestLog(db),
    faults: openFaults(settings, Math.random),
    signing,
    /** The deployment's own words, which `exchange.ts` translates. */
    names: deploymentNames(fixtures.names),
    /** Returns the email address for a client id or other name. */
    emailOf: (name: string): string => `${name}@${fixtures.vendor_domain}`,
    wake,
    /** Token audience, in addition to the platform's own addresses. */
    audience: identity.audience,
    baseUrl,
    addressOf,
  };
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
