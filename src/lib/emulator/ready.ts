// What a client needs to know of a running platform: the ready line of `emulator start`, field by field.
import type { Fixtures } from './fixtures/grammar.ts';
import { VENDOR_DOMAIN } from './platform.ts';

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
  /** The authority that signs the platform's certificates, as PEM; empty while it has none. */
  ca_file: string;
}

/** Below the platform's address; no path of the specification begins so. */
export const CONTROL_PATH = '/_control';

/** All of a service on one port: only the data subject requests have a path of their own. */
export const SERVICE_PATHS = { base: '', auth: '', dsr: '/v3', seeding: '', identity: '' } as const;

/** `url` is the platform's own address. */
export function describeReady(url: string, { organizations, accounts, workspaces }: Fixtures): EmulatorReady {
  const [organization] = organizations;
  const account = accounts.find(({ org_id }) => org_id === organization.id) ?? accounts[0];
  const workspace = workspaces.find(({ account_id }) => account_id === account.id) ?? workspaces[0];
  return {
    base_url: url + SERVICE_PATHS.base,
    auth_url: url + SERVICE_PATHS.auth,
    dsr_base_url: url + SERVICE_PATHS.dsr,
    seeding_url: url + SERVICE_PATHS.seeding,
    identity_url: url + SERVICE_PATHS.identity,
    vendor_domain: VENDOR_DOMAIN,
    org_id: organization.id,
    account_id: account.id,
    workspace_id: workspace.id,
    client_id: organization.client_id,
    client_secret: organization.client_secret,
    workspace_key: workspace.key,
    workspace_secret: workspace.secret,
    control_url: url + CONTROL_PATH,
    ca_file: '',
  };
}
