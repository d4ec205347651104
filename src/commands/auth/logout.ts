// `auth logout`: removes the secrets of a profile and its cached token.
import { array, object, string } from 'zod/mini';
import { forgetToken } from '../../lib/runtime/memory/secrets.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { currentProfile, secretName } from './results.ts';

export const logOut = defineCommand({
  path: 'auth logout',
  summary: 'remove the secrets of a profile',
  effect: 'local',
  calls: 'settings',
  columns: asColumns('profile removed'),
  output: () => object({ profile: string(), removed: array(secretName()) }),
  notes: [
    'The client id stays in the profile.',
    'The platform cannot revoke an access token: a copy of it remains valid for up to eight hours.',
  ],
  examples: ['cdpadm auth logout --profile dev --yes', 'cdpadm auth logout --profile dev --dry-run'],
  exits: { notFound: 'profile not found', guard: 'you answered no' },
  run: async (ctx) => {
    const profile = await currentProfile(ctx);
    if (ctx.flags.dryRun) {
      const text = `The secrets of profile ${profile} and its cached token would be removed.`;
      return await ctx.out.emitDryRun([], { profile }, () => text, [profile]);
    }
    await ctx.prompt.confirm(`Remove the secrets of profile ${profile}?`);
    await forgetToken(ctx, profile);
    const { removed, left } = await (await ctx.profiles()).forgetSecrets(profile);
    for (const sentence of left) ctx.out.warn(sentence);
    return { profile, removed };
  },
  view: {
    kind: 'document',
    text: ({ profile, removed }) =>
      removed.length === 0
        ? `Profile ${profile} had no secrets.`
        : `Removed from profile ${profile}: ${removed.join(', ')}.`,
  },
});
