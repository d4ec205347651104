// Fills in the ready line of a running platform.
import type { EmulatorReady } from './base/embedding.ts';
import type { Fixtures } from './fixtures/document.ts';
import { SERVICE_PATHS } from './wire/service-paths.ts';

/** `url` is the address that the platform tells of itself, `caFile` the certificate of its authority. */
export function describeReady(
  url: string,
  { organizations, accounts, workspaces, vendor_domain }: Fixtures,
  caFile: string,
  controlUrl: string,
): EmulatorReady {
  const [organization] = organizations;
  const account = accounts.find(({ org_id }) => org_id === organization.id) ?? accounts[0];
  const workspace = workspaces.find(({ account_id }) => account_id === account.id) ?? workspaces[0];
  return {
    base_url: url + SERVICE_PATHS.base,
    auth_url: url + SERVICE_PATHS.auth,
    dsr_base_url: url + SERVICE_PATHS.dsr,
    seeding_url: url + SERVICE_PATHS.seeding,
    identity_url: url + SERVICE_PATHS.identity,
    vendor_domain,
    org_id: organization.id,
    account_id: account.id,
    workspace_id: workspace.id,
    client_id: organization.client_id,
    client_secret: organization.client_secret,
    workspace_key: workspace.key,
    workspace_secret: workspace.secret,
    control_url: controlUrl,
    ca_file: caFile,
  };
}
