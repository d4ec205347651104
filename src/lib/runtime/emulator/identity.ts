// The deployment that the embedded platform imitates, from a profile and flags, without secrets.
import { looksLikeReference } from '../../config/secret-file.ts';
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
  /** The profile's names. */
  names: Record<string, string> | undefined;
}

/**
 * Reads the profile's settings; flags override them. Does not read its secrets, because the platform accepts any secret.
 * Throws KnownError for an unknown profile (5) and for an invalid id (2).
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

function idOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const id = /^\d+$/.test(text) ? Number(text) : 0;
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw usageError(`The embedded platform cannot use the id ${text}.`, `Pass another id with ${flag}.`);
}
