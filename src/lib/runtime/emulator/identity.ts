// The deployment that the embedded platform imitates, based on a profile and flags. Contains no secrets.
import { looksLikeReference } from '../../config/secret-file.ts';
import type { EmulatorIdentity } from '../../emulator/base/embedding.ts';
import { usageError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';

/** Flags override the profile's settings. Throws not found (5) for an unknown profile, and usage (2) for a bad id. */
export async function readIdentity(
  ctx: Context,
  { as, vendorDomain, audience }: Partial<Record<'as' | 'vendorDomain' | 'audience', string | undefined>>,
) {
  const profile = as === undefined ? undefined : await (await ctx.profiles()).find(as);
  const { account, org, workspace } = ctx.flags;
  const clientId = profile?.secrets?.client_id;
  const values = {
    vendorDomain: vendorDomain?.toLowerCase() ?? profile?.vendor_domain,
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
