// Removes the cached access token of a profile: what `auth logout` and a deleted profile leave nothing of.
import { join } from 'node:path';
import { tokenFileName } from '../../http/call/token.ts';
import { KnownError } from '../../kernel/errors.ts';
import { removeFile } from '../../kernel/durable.ts';
import type { Context } from '../context.ts';
import { lastingAddress, lastingAudience } from '../service-address.ts';

/** Nothing happens where the profile names no client or no token service. The platform cannot revoke a token. */
export async function forgetToken(ctx: Context, profile: string): Promise<void> {
  const settings = await ctx.settings(profile);
  if (!settings.get('auth_url') || !settings.get('audience') || !settings.secretOrigin('client_id')) return;
  try {
    const address = lastingAddress(settings, 'auth_url');
    const name = tokenFileName(await settings.secret('client_id'), lastingAudience(settings), address);
    removeFile(join(ctx.paths.cache, 'tokens', name));
  } catch (error) {
    // A client id that cannot be read now has no token that could be found by it.
    if (!(error instanceof KnownError)) throw error;
  }
}
