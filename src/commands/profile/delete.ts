// `profile delete NAME`: deletes a profile and its stored secrets.
import { pickProfile } from '../pick.ts';
import { boolean, object, string } from 'zod/mini';
import { usageError } from '../../lib/kernel/errors.ts';
import { forgetToken } from '../../lib/runtime/memory/secrets.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';

export const deleteProfile = defineCommand({
  path: 'profile delete',
  summary: 'delete a profile and its stored secrets',
  effect: 'local',
  calls: 'settings',
  args: { name: { help: 'the profile', pick: pickProfile } },
  columns: asColumns('deleted was_current'),
  output: () => object({ deleted: string(), was_current: boolean() }),
  notes: ['Nothing on the platform changes. For a protected profile you must type its name.'],
  examples: ['cdpadm profile delete dev --yes', 'cdpadm profile delete prod --confirm prod --dry-run'],
  exits: { notFound: 'profile not found', guard: 'you answered no, or did not type the name of a protected profile' },
  run: async (ctx, { args: { name } }) => {
    const profiles = await ctx.profiles();
    if (name === 'local') throw usageError('Profile `local` is built in; it cannot be deleted.');
    const profile = await profiles.find(name);
    if (ctx.flags.dryRun) {
      const text = `Profile ${name} and its stored secrets would be deleted.`;
      return await ctx.out.emitDryRun([], { delete: name }, () => text, [name]);
    }
    if (profile.protected === true)
      await ctx.prompt.typed(`Profile ${name} is protected. Type its name to delete it`, name, { exit: 'guard' });
    else await ctx.prompt.confirm(`Delete profile ${name} and its stored secrets?`);
    await forgetToken(ctx, name);
    const { wasCurrent, left } = await profiles.remove(name);
    for (const sentence of left) ctx.out.warn(sentence);
    if (wasCurrent)
      ctx.out.note({ text: 'There is no current profile now. To choose one:', command: 'cdpadm profile use NAME' });
    return { deleted: name, was_current: wasCurrent };
  },
  view: { kind: 'document', text: ({ deleted }) => `Deleted profile ${deleted}.` },
});
