// The environment variables that make every command use a running embedded platform.
import { existsSync } from 'node:fs';
import type { EmulatorReady } from '../../emulator/index.ts';

/** The file with the platform's authority, if it still exists: the user may delete the cache at any time. */
export function authorityOf({ ca_file }: EmulatorReady): string | undefined {
  return ca_file !== '' && existsSync(ca_file) ? ca_file : undefined;
}

/** Name of a `CDPADM_…` variable -> field of the ready line. */
export const VARIABLES = {
  CDPADM_BASE_URL: 'base_url',
  CDPADM_AUTH_URL: 'auth_url',
  CDPADM_DSR_BASE_URL: 'dsr_base_url',
  CDPADM_SEEDING_URL: 'seeding_url',
  CDPADM_IDENTITY_URL: 'identity_url',
  CDPADM_VENDOR_DOMAIN: 'vendor_domain',
  CDPADM_ORG_ID: 'org_id',
  CDPADM_ACCOUNT_ID: 'account_id',
  CDPADM_WORKSPACE_ID: 'workspace_id',
  CDPADM_CLIENT_ID: 'client_id',
  CDPADM_CLIENT_SECRET: 'client_secret',
  CDPADM_WORKSPACE_KEY: 'workspace_key',
  CDPADM_WORKSPACE_SECRET: 'workspace_secret',
} as const satisfies Record<string, keyof EmulatorReady>;

/** The address of the page about the platform, on the control address. */
export function consoleUrl({ control_url: url }: EmulatorReady): string {
  return `${url}/ui`;
}

/** The variables that `emulator env` prints. */
export function environmentOf(ready: EmulatorReady): Record<string, string> {
  const authority = authorityOf(ready);
  return {
    ...Object.fromEntries(Object.entries(VARIABLES).map(([name, key]) => [name, String(ready[key])])),
    ...(authority !== undefined && { CDPADM_CA_FILE: authority }),
  };
}
