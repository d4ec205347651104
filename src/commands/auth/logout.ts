// `auth logout`: forgets the secrets of a profile and its cached token.
import { array, object, string } from 'zod/mini';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { forgetToken } from '../../lib/runtime/memory/secrets.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { currentProfile, secretName } from './results.ts';

const view: DocumentView<{ profile: string; removed: string[] }> = {
  kind: 'document',
  text: ({ profile, removed }) =>
    removed.length === 0
      ? `Profile ${profile} had no secrets.`
      : `Removed from profile ${profile}: ${removed.join(', ')}.`,
};

export const logOut = defineCommand({
  path: 'auth logout',
  summary: 'forget the secrets of a profile',
  effect: 'local',
  calls: 'settings',
  columns: asColumns('profile removed'),
  output: () => object({ profile: string(), removed: array(secretName()) }),
  notes: [
    'The client id stays in the profile.',
    'The platform cannot revoke an access token: one that was copied elsewhere works until its eight hours are over.',
  ],
  examples: ['cdpadm auth logout --profile dev --yes', 'cdpadm auth logout --profile dev --dry-run'],
  exits: { notFound: 'there is no such profile', guard: 'you answered no' },
  run: logout,
});

async function logout(ctx: Context): Promise<void> {
  const profile = await currentProfile(ctx);
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun(
      [],
      { profile },
      () => `The secrets of profile ${profile} and its cached token would be removed.`,
      [profile],
    );
    return;
  }
  await ctx.prompt.confirm(`Forget the secrets of profile ${profile}?`);
  await forgetToken(ctx, profile);
  const { removed, left } = await (await ctx.profiles()).forgetSecrets(profile);
  for (const sentence of left) ctx.out.warn(sentence);
  await ctx.out.emit({ profile, removed }, view);
}
