// What a client needs to know of a running platform: the ready line of `emulator start`, field by field.

/** Addresses are without a trailing slash; ids are those of the first organization, account and workspace. */
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

/** Below the platform's address; no path of the specification begins so. */
export const CONTROL_PATH = '/_control';

/** All of a service on one port: only the data subject requests have a path of their own. */
export const SERVICE_PATHS = { base: '', auth: '', dsr: '/v3', seeding: '', identity: '' } as const;
