// What the auth commands share: the profile that they act on, and the schema of its secrets.
import { enum as oneOf } from 'zod/mini';
import { usageError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';

/** A secret that a profile may hold. */
export function secretName() {
  return oneOf(['client_id', 'client_secret', 'workspace_key', 'workspace_secret']);
}

/** The name of the profile in use; KnownError usage (2) when there is none, or when it is built in. */
export async function currentProfile(ctx: Context): Promise<string> {
  const { profile } = await ctx.settings();
  if (!profile)
    throw usageError('No profile is in use.', {
      text: 'Name one with --profile, or create one:',
      command: 'cdpadm profile create NAME',
    });
  if (profile.value === 'local') throw usageError('Profile `local` is built in; it has no secrets of yours.');
  return profile.value;
}
