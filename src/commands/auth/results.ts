// Shared by the auth commands: the profile in use, and the schema of its secrets.
import { enum as oneOf } from 'zod/mini';
import { usageError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';

export function secretName() {
  return oneOf(['client_id', 'client_secret', 'workspace_key', 'workspace_secret']);
}

/** The name of the profile in use; KnownError usage (2) if there is none or it is built in. */
export async function currentProfile(ctx: Context): Promise<string> {
  const { profile } = await ctx.settings();
  if (!profile)
    throw usageError('No profile is selected.', {
      text: 'Pass --profile NAME, or create a profile:',
      command: 'cdpadm profile create NAME',
    });
  if (profile.value === 'local') throw usageError('Profile `local` is built in and stores no secrets.');
  return profile.value;
}
