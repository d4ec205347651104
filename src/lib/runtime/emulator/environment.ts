// The environment variables with which every command works on a running embedded platform.
import { existsSync } from 'node:fs';
import type { EmulatorReady } from '../../emulator/index.ts';

/** The platform's authority, as long as its file is there: the cache may be thrown away at any time. */
export function authorityOf({ ca_file }: EmulatorReady): string | undefined {
  return ca_file !== '' && existsSync(ca_file) ? ca_file : undefined;
}

/** `CDPADM_…` name -> value, as `emulator env` prints them. */
export function environmentOf(ready: EmulatorReady): Record<string, string> {
  const authority = authorityOf(ready);
  return {
    CDPADM_BASE_URL: ready.base_url,
    CDPADM_AUTH_URL: ready.auth_url,
    CDPADM_DSR_BASE_URL: ready.dsr_base_url,
    CDPADM_SEEDING_URL: ready.seeding_url,
    CDPADM_IDENTITY_URL: ready.identity_url,
    CDPADM_VENDOR_DOMAIN: ready.vendor_domain,
    CDPADM_ORG_ID: String(ready.org_id),
    CDPADM_ACCOUNT_ID: String(ready.account_id),
    CDPADM_WORKSPACE_ID: String(ready.workspace_id),
    CDPADM_CLIENT_ID: ready.client_id,
    CDPADM_CLIENT_SECRET: ready.client_secret,
    CDPADM_WORKSPACE_KEY: ready.workspace_key,
    CDPADM_WORKSPACE_SECRET: ready.workspace_secret,
    ...(authority !== undefined && { CDPADM_CA_FILE: authority }),
  };
}
