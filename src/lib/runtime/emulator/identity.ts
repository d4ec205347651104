// Whose platform the embedded one is to be: what a profile and flags say of it, and never a secret.
import { join } from 'node:path';
import { looksLikeReference } from '../../config/secret-file.ts';
import type { SettingsPaths } from '../../config/paths.ts';
import type { EmulatorIdentity } from '../../emulator/base/embedding.ts';
import { usageError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';

export interface IdentityFlags {
  as?: string | undefined;
  vendorDomain?: string | undefined;
  audience?: string | undefined;
}

export interface Rehearsed {
  identity: EmulatorIdentity;
  /** Of the profile. */
  names: Record<string, string> | undefined;
}

/**
 * Reads the profile's settings and lays the flags over them. The references to its secrets are not followed: any secret
 * is accepted in their place. Throws KnownError: no such profile (5), an id that is none (2).
 */
export async function readIdentity(ctx: Context, { as, vendorDomain, audience }: IdentityFlags): Promise<Rehearsed> {
  const profile = as === undefined ? undefined : await (await ctx.profiles()).find(as);
  const { account, org, workspace } = ctx.flags;
  const clientId = profile?.secrets?.client_id;
  const values = {
    vendorDomain: vendorDomain ?? profile?.vendor_domain,
    audience: audience ?? profile?.audience ?? profile?.base_url,
    org: idOf('--org', org ?? profile?.org_id),
    account: idOf('--account', account ?? profile?.account_id),
    workspace: idOf('--workspace', workspace ?? profile?.workspace_id),
    clientId: clientId === undefined || looksLikeReference(clientId) ? undefined : clientId,
    anySecret: profile && true,
  };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return { identity: Object.fromEntries(given) as EmulatorIdentity, names: profile?.names };
}

/** Where the copy of a profile's platform keeps its state: `local` has other people and other ids. */
export function rehearsalFolder({ data }: SettingsPaths, profile: string): string {
  return join(data, 'rehearsals', profile);
}

function idOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const id = /^\d+$/.test(text) ? Number(text) : 0;
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw usageError(`The embedded platform cannot have the id ${text}.`, `Pass another id with ${flag}.`);
}
