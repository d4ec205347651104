// The embedded platform as another program sees it: what it says to start one, and what it gets. Published as types, so
// that nothing here may mention Node's own: a program must compile against it that has no types of Node.

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
  /** `real` goes with the machine's clock, `manual` stands until it is moved. Default: as `data` was left, else `real`. */
  clock?: 'real' | 'manual';
}

export interface Emulator {
  /** `http://host:port` */
  url: string;
  /** Base of the control address. */
  control: string;
  ready: EmulatorReady;
  port: number;
  /** Back to the fixtures. */
  reset(): Promise<void>;
  /** Ends open connections, keeps what is unwritten and frees the data folder. */
  close(): Promise<void>;
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
