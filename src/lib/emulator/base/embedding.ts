// The embedded platform as another program sees it: what it says to start one, and what it gets. Published as types, so
// that nothing here may mention Node's own: a program must compile against it that has no types of Node.

/** A deployment that the platform stands in for. Without a field, what the fixtures say. */
export interface EmulatorIdentity {
  /** The `{vendor_domain}` of `opendsr.{vendor_domain}`. */
  vendorDomain?: string;
  /** Accepted for tokens besides the platform's own addresses. */
  audience?: string;
  org?: number;
  account?: number;
  workspace?: number;
  clientId?: string;
  /**
   * Accept any secret for the first organization's client id and the first workspace's key, and any key that no other
   * workspace has; any client id too, without `clientId`. On loopback only.
   */
  anySecret?: boolean;
}

export interface EmulatorOptions {
  /** Default `127.0.0.1`. */
  host?: string;
  /** Default 0: a free one. */
  port?: number;
  /** The folder that keeps the state. Without one the state is in memory. */
  data?: string;
  /**
   * The folder of the authority that the platform's certificate is from, so that several platforms can share one.
   * Default: one inside `data`, or none.
   */
  authority?: string;
  /** Keep the state in memory, whatever `data` says. */
  memory?: boolean;
  /** A fixtures document as parsed from YAML or JSON. Default: the specification's samples, or what `data` began with. */
  fixtures?: unknown;
  /** The warehouse file that pipelines read, where the fixtures name none. */
  warehouse?: string;
  /** Neutral word -> the word used on the wire; goes before the fixtures' `names`. */
  names?: Record<string, string>;
  /** Whose platform it is; goes before the fixtures. */
  identity?: EmulatorIdentity;
  /** The address that the platform tells of itself. Default: where it listens. */
  publicUrl?: string;
  /** PEM texts: the platform then speaks https; the control address stays http, on a port of its own. */
  tls?: { cert: string; key: string };
  /** `real` goes with the machine's clock, `manual` stands until it is moved. Default: as `data` was left, else `real`. */
  clock?: 'real' | 'manual';
}

export interface Emulator extends EmulatorControl {
  /** `http://host:port` */
  url: string;
  /** Base of the control address. */
  control: string;
  ready: EmulatorReady;
  port: number;
  /** Ends open connections, keeps what is unwritten and frees the data folder. */
  close(): Promise<void>;
}

/**
 * Controls a running platform. Times are ISO 8601 in UTC. A call rejects with an error that has a `code`: `usage` for an
 * invalid value, `emulator.refused` or `emulator.unreachable`.
 */
export interface EmulatorControl {
  clock: {
    now(): Promise<string>;
    /** Advances the clock (`90m`, `8d`), runs everything that falls due and returns the new time. */
    advance(duration: string): Promise<string>;
    /** Sets the clock, runs everything that falls due and returns the new time. */
    set(time: string): Promise<string>;
  };
  faults: {
    add(fault: Fault): Promise<Fault>;
    /** The faults that still apply, with the `times` left of each. */
    list(): Promise<Fault[]>;
    clear(): Promise<void>;
  };
  callbacks: {
    list(): Promise<Callback[]>;
    /** Sends callbacks again: one, those of a request, or all that were not delivered. Returns them. */
    resend(which?: { id: number } | { subject_request_id: string }): Promise<Callback[]>;
    /** Sends the queued callbacks now and returns them once every receiver was called. */
    flush(): Promise<Callback[]>;
  };
  state: {
    /** The profiles of a person in every workspace, by `xpid` or by an identity: `{ email: 'jane@example.com' }`. */
    profiles(identity: Record<string, string>): Promise<Record<string, unknown>[]>;
    counts(): Promise<StoredCounts>;
  };
  /**
   * The newest requests whole, at most 1,000, oldest first, with their answers; secrets are masked. `after` leaves out
   * those up to an `id`.
   */
  requests(after?: number): Promise<RecordedRequest[]>;
  /** The requests that the platform received, oldest first. */
  log(): Promise<LoggedRequest[]>;
  /** Assigns a role of the first organization to a user. */
  assignRole(roleId: string, user: string): Promise<RoleAssignment>;
  /** Back to the fixtures. */
  reset(): Promise<void>;
  /** Keeps the state, its clock and faults included; the newest 20 are kept. Returns what `restore` takes. */
  snapshot(): Promise<number>;
  /** Back to a snapshot. Tokens stay valid, the log is empty. */
  restore(snapshot: number): Promise<void>;
}

/** Applies to every matching request; at least one of `status`, `delay` and `drop` is required. */
export interface Fault {
  /** Default: any method. */
  method?: string | undefined;
  /** `*` matches any characters. Default: any path. */
  path?: string | undefined;
  /** Respond with this status without processing the request. */
  status?: number | undefined;
  /** The `Retry-After` header of that response: seconds, or any text. */
  retry_after?: number | string | undefined;
  /** Delay first: milliseconds, or a duration such as `2s`. */
  delay?: number | string | undefined;
  /** Close the connection without a response, before or after the request is processed. */
  drop?: 'before' | 'after' | undefined;
  /** Number of requests. Default: all. */
  times?: number | undefined;
  /** Share of the matching requests, 0 to 1. Default: 1. */
  probability?: number | undefined;
}

export interface LoggedRequest {
  at: string;
  method: string;
  path: string;
  /** Null when a fault closed the connection. */
  status: number | null;
}

/** A request with its headers and body. JSON is parsed; other bodies, and the beginning of a large one, are texts. */
export interface RecordedRequest extends LoggedRequest {
  id: number;
  headers: Record<string, string>;
  body?: unknown;
  truncated?: true;
  response?: { headers: Record<string, string>; body?: unknown; truncated?: true };
}

/** A status callback of a data subject request, with its deliveries. */
export interface Callback {
  id: number;
  workspace_id: number;
  subject_request_id: string;
  request_status: string;
  url: string;
  state: 'queued' | 'sending' | 'delivered' | 'failed';
  queued_on: string;
  due_on: string;
  /** `status` is null when the receiver did not respond; `error` then says why. */
  attempts: { at: string; status: number | null; error: string | null }[];
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

/** The ready line. Addresses are without a trailing slash; ids are those of the first organization, account and workspace. */
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
  /** The authority that signs the platform's certificates, as PEM; empty when that is in memory. */
  ca_file: string;
}
