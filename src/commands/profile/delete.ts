// `profile delete NAME`: removes a profile and the secrets that were kept for it.
import { boolean, object, string } from 'zod/mini';
import type { DocumentView } from '../../lib/render/view.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { forgetToken } from '../../lib/runtime/memory/secrets.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';

const view: DocumentView<{ deleted: string; was_current: boolean }> = {
  kind: 'document',
  text: ({ deleted }) => `Deleted profile ${deleted}.`,
};

export const deleteProfile = defineCommand({
  path: 'profile delete',
  summary: 'delete a profile and its stored secrets',
  effect: 'local',
  calls: 'settings',
  args: { name: { help: 'the profile' } },
  columns: asColumns('deleted was_current'),
  output: () => object({ deleted: string(), was_current: boolean() }),
  notes: ['Nothing on the platform changes. A protected profile asks for its name.'],
  examples: ['cdpadm profile delete dev --yes', 'cdpadm profile delete prod --confirm prod --dry-run'],
  exits: { notFound: 'there is no such profile', guard: 'you answered no, or not the name of a protected profile' },
  run: (ctx, { args }) => remove(ctx, args.name),
});

async function remove(ctx: Context, name: string): Promise<void> {
  const profiles = await ctx.profiles();
  if (name === 'local') throw usageError('Profile `local` is built in; it cannot be deleted.');
  const profile = await profiles.find(name);
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([], { delete: name }, () => `Profile ${name} and its stored secrets would be deleted.`, [
      name,
    ]);
    return;
  }
  if (profile.protected === true)
    await ctx.prompt.typed(`Profile ${name} is protected. Type its name to delete it`, name, { exit: 'guard' });
  else await ctx.prompt.confirm(`Delete profile ${name} and its stored secrets?`);
  await forgetToken(ctx, name);
  const { wasCurrent, left } = await profiles.remove(name);
  for (const sentence of left) ctx.out.warn(sentence);
  await ctx.out.emit({ deleted: name, was_current: wasCurrent }, view);
  if (wasCurrent)
    ctx.out.note({ text: 'No profile is the current one now. To choose one:', command: 'cdpadm profile use NAME' });
}
