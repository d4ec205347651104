// Public types of the library: the options for starting a platform, the running platform, and its control API. A
// program without Node's types must be able to compile against this file, so the file has no imports.

/** The deployment that the platform imitates; omitted fields come from the fixtures. */
export interface EmulatorIdentity {
  /** The `{vendor_domain}` of `opendsr.{vendor_domain}`. */
  vendorDomain?: string;
  /** Token audience, in addition to the platform's own addresses. */
  audience?: string;
  org?: number;
  account?: number;
  workspace?: number;
  clientId?: string;
  /**
   * Accepts any secret for the first organization's client id. Accepts any key and secret for the first workspace,
   * unless another workspace has that key. Without `clientId`, also accepts any client id. Allowed only on loopback.
   */
  anySecret?: boolean;
}

export interface EmulatorOptions {
  /** Default: `127.0.0.1`. */
  host?: string;
  /** Default: 0, which selects a free port. */
  port?: number;
  /** Folder that stores the state. Default: none; the state is in memory. */
  data?: string;
  /**
   * Folder of the authority that issues the platform's certificate. Several platforms can share it. Default: a folder
   * inside `data`, otherwise in memory.
   */
  authority?: string;
  /** Keeps the state in memory; not allowed together with `data`. */
  memory?: boolean;
  /** Fixtures document, parsed from YAML or JSON. Default: the fixtures in `data`, otherwise the built-in samples. */
  fixtures?: EmulatorFixtures;
  /** Warehouse file that pipelines read if the fixtures do not define one. */
  warehouse?: string;
  /** Maps neutral words to words on the wire. Overrides `names` in the fixtures. */
  names?: Record<string, string>;
  /** The deployment that the platform imitates. Overrides the fixtures. */
  identity?: EmulatorIdentity;
  /** Address in responses and in the ready line. Default: the request's `Host` or, in the ready line, `listen_url`. */
  publicUrl?: string;
  /** PEM strings. With `tls`, the platform uses https. The control address still uses http, on another port. */
  tls?: { cert: string; key: string };
  /** `real` follows the machine's clock; `manual` changes on request. Default: the mode in `data`, otherwise `real`. */
  clock?: 'real' | 'manual';
}

type Maybe<Field extends string, Value> = Partial<Record<Field, Value | undefined>>;

/** The organization or workspace that an entry belongs to. Default: the first one. */
type OfOrganization = Maybe<'org_id', number>;
type OfWorkspace = Maybe<'workspace_id', number>;

/** A connection, data model or pipeline with the specification's fields, including `status` and `errors`. */
type ResourceFixture = OfWorkspace & Maybe<'errors', { message: string }[]> & Record<string, unknown>;

/** The initial state. Times are ISO 8601; durations are written like `8d`. */
export interface EmulatorFixtures {
  organizations?: { id: number; name?: string | undefined; client_id?: string | undefined; client_secret?: string }[];
  accounts?: ({ id: number; name?: string | undefined } & OfOrganization)[];
  workspaces?: { id: number; name?: string | undefined; key: string; secret: string; account_id?: number }[];
  limits?: Maybe<'roles_per_minute' | 'dsr_per_minute' | 'intake_per_second' | 'intake_body_bytes', number>;
  vendor_domain?: string | undefined;
  processor_domain?: string | undefined;
  /** Maps neutral words to words on the wire. */
  names?: Record<string, string> | undefined;
  roles?: ({
    role_id: string;
    name: string;
    description: string;
    tasks: (string | { task_id: string })[];
  } & OfOrganization)[];
  role_assignments?: ({ role_id: string; user: string } & OfOrganization)[];
  groups?: ({
    id: string;
    description?: string | undefined;
    source_user_attribute: string;
    attributes: { id: string; type: 'latest' | 'boolean_or' | 'sum' | 'average' }[];
  } & OfWorkspace)[];
  /** Bodies of data subject requests; `age` is the time since the platform received them. */
  requests?: ({ age?: string | undefined; [field: string]: unknown } & OfWorkspace)[];
  partners?: ({
    domain: string;
    name: string;
    status?: 'pending' | 'skipped' | 'sent' | 'failed' | undefined;
    status_message?: string | undefined;
    identity_types?: string[] | undefined;
  } & OfWorkspace)[];
  profiles?: ({
    environment?: 'production' | 'development' | undefined;
    xpid?: number | bigint | undefined;
    identities?: Record<string, string> | undefined;
    user_attributes?: Record<string, unknown> | undefined;
    /** Attributes and events, as described in the specification (E and F). */
    calculated_attributes?: object[] | undefined;
    events?: object[] | undefined;
  } & OfWorkspace)[];
  connections?: ResourceFixture[] | undefined;
  data_models?: ResourceFixture[] | undefined;
  pipelines?: ResourceFixture[] | undefined;
  runs?: ({
    id?: number | bigint | undefined;
    pipeline_id: string;
    type?: 'scheduled' | 'manual' | undefined;
    status: 'success' | 'failed' | 'stopped';
    logical_date: string;
    errors?: { message: string }[];
  } & Maybe<'started_on' | 'ended_on' | 'range_start' | 'range_end', string> &
    Maybe<'successful_records' | 'failed_records', number> &
    OfWorkspace)[];
  data_plans?: ({ id: string; version: number | string; active?: boolean | undefined } & OfWorkspace)[];
  /** SQLite files, each with the `config` fields of the connections that read it. */
  warehouses?: {
    service_provider: 'PROVIDER_A' | 'PROVIDER_B' | 'PROVIDER_C' | 'PROVIDER_D';
    match: Record<string, string>;
    credentials?: Record<string, string> | undefined;
    file: string;
  }[];
}

export interface Emulator extends EmulatorControl {
  /** `http://host:port`; https with `tls`. */
  url: string;
  /** Base URL of the control API. */
  control: string;
  ready: EmulatorReady;
  port: number;
  /** Closes connections, writes pending state and releases the data folder. */
  close(): Promise<void>;
}

/**
 * Controls a running platform. Times are ISO 8601 in UTC. A failed call rejects with an error that has a `code`:
 * `usage` for an invalid value, otherwise a code such as `emulator.refused` or `emulator.unreachable`.
 */
export interface EmulatorControl {
  clock: {
    now(): Promise<string>;
    /** Advances the clock (`90m`, `8d`), runs everything that comes due and returns the new time. */
    advance(duration: string): Promise<string>;
    /** Sets the clock, runs everything that comes due and returns the new time. */
    set(time: string): Promise<string>;
  };
  faults: {
    add(fault: Fault): Promise<Fault>;
    /** Returns the faults that still apply, each with its remaining `times`. */
    list(): Promise<Fault[]>;
    clear(): Promise<void>;
  };
  callbacks: {
    /** Same as `list`. */
    (): Promise<Callback[]>;
    list(): Promise<Callback[]>;
    /** Resends callbacks: one, all for one request, or all that were not delivered. Returns them as `flush` does. */
    resend(which?: { id: number } | { subject_request_id: string }): Promise<Callback[]>;
    /** Sends the queued callbacks now, and returns them with their new states: `queued` if a receiver failed. */
    flush(): Promise<Callback[]>;
  };
  /** Returns a person's profiles in every workspace, by `xpid` or another identity: `{ email: 'jane@example.com' }`. */
  profiles(identity: Record<string, string>): Promise<StoredProfile[]>;
  state: Pick<EmulatorControl, 'profiles'> & { counts(): Promise<StoredCounts> };
  /**
   * Returns up to 1,000 of the newest requests, oldest first, with headers, bodies and responses. Secrets are masked.
   * With `after`, returns only requests with a greater `id`.
   */
  requests(after?: number): Promise<RecordedRequest[]>;
  /** Returns the newest 100,000 requests that the platform received, oldest first. */
  log(): Promise<LoggedRequest[]>;
  /** Assigns a role of the first organization to a user. */
  assignRole(roleId: string, user: string): Promise<RoleAssignment>;
  /** Resets the platform to its fixtures. */
  reset(): Promise<void>;
  /** Saves the state, clock and faults. Returns an id for `restore`. The platform keeps the newest 20 snapshots. */
  snapshot(): Promise<number>;
  /** Restores a snapshot. Tokens stay valid; the log is cleared. */
  restore(snapshot: number): Promise<void>;
}

/** A fault that applies to matching requests. At least one of `status`, `delay` and `drop` is required. */
export interface Fault {
  /** An HTTP method in any letter case, or `*`. Default: any method. */
  method?: string | undefined;
  /** `*` matches any characters. Default: any path. */
  path?: string | undefined;
  /** Respond with this status without processing the request. */
  status?: number | undefined;
  /** `Retry-After` header of that response: seconds, or any text. */
  retry_after?: number | string | undefined;
  /** Wait this long first: milliseconds, or a duration such as `2s`. */
  delay?: number | string | undefined;
  /** Close the connection without a response, before or after processing the request. */
  drop?: 'before' | 'after' | undefined;
  /** Number of requests to affect. Default: all. */
  times?: number | undefined;
  /** Fraction of matching requests to affect, from 0 to 1. Default: 1. */
  probability?: number | undefined;
}

export interface LoggedRequest {
  at: string;
  method: string;
  path: string;
  /** Null if a fault closed the connection. */
  status: number | null;
}

/** A request with headers and body. JSON is parsed. Other bodies, and the start of a large body, are strings. */
export interface RecordedRequest extends LoggedRequest {
  id: number;
  headers: Record<string, string>;
  body?: unknown;
  truncated?: true;
  response?: { headers: Record<string, string>; body?: unknown; truncated?: true };
}

/** A status callback for a data subject request, with the attempts to deliver it. */
export interface Callback {
  id: number;
  workspace_id: number;
  subject_request_id: string;
  request_status: string;
  url: string;
  state: 'queued' | 'sending' | 'delivered' | 'failed';
  queued_on: string;
  due_on: string;
  /** `status` is null when the receiver did not respond; `error` then contains the reason. */
  attempts: { at: string; status: number | null; error: string | null }[];
}

/** A profile in a workspace and environment. */
export interface StoredProfile {
  /** Digits of a 64-bit integer. */
  xpid: string;
  workspace_id: number;
  environment: 'production' | 'development';
  created_on: string;
  last_modified_on: string;
  /** All values of each identity type, oldest first. */
  identities: Record<string, string[]>;
  user_attributes: Record<string, unknown>;
  /** `<group_id>:<attribute_id>` -> value. */
  group_attributes: Record<string, unknown>;
  calculated_attributes: Record<string, unknown>;
  events: { received_on: string; event: unknown }[];
}

export interface StoredCounts {
  profiles: number;
  seeds: number;
  events: number;
}

export interface RoleAssignment {
  role_id: string;
  user: string;
  org_id: number;
}

/** The ready line. Addresses have no trailing slash. The ids are those of the first organization and its workspace. */
export interface EmulatorReady {
  base_url: string;
  auth_url: string;
  dsr_base_url: string;
  seeding_url: string;
  identity_url: string;
  vendor_domain: string;
  org_id: number;
  account_id: number;
  workspace_id: number;
  client_id: string;
  client_secret: string;
  workspace_key: string;
  workspace_secret: string;
  control_url: string;
  /** Web console, a page for a browser on this machine. */
  console_url: string;
  /** Where the platform listens. If there is a public address, the service addresses above start with it instead. */
  listen_url: string;
  /** Path of the PEM file to trust (signing authority, `tls` certificate); empty if the authority is in memory. */
  ca_file: string;
}
