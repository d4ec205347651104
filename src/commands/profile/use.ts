// `profile use NAME`: makes a profile the one that is used when nothing names another.
import { object, string } from 'zod/mini';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';

const view: DocumentView<{ current: string }> = {
  kind: 'document',
  text: ({ current }) => `Profile ${current} is the current one.`,
};

export const useProfile = defineCommand({
  path: 'profile use',
  summary: 'make a profile the current one',
  effect: 'local',
  calls: 'settings',
  args: { name: { help: 'the profile; local is the embedded platform' } },
  columns: asColumns('current'),
  output: () => object({ current: string() }),
  examples: ['cdpadm profile use local', 'cdpadm profile use prod --dry-run'],
  exits: { notFound: 'there is no such profile' },
  run: (ctx, { args }) => use(ctx, args.name),
});

async function use(ctx: Context, name: string): Promise<void> {
  const profiles = await ctx.profiles();
  await profiles.find(name);
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([], { current: name }, () => `Profile ${name} would become the current one.`, [name]);
    return;
  }
  await profiles.use(name);
  await ctx.out.emit({ current: name }, view);
  const chosen = ctx.io.env.CDPADM_PROFILE;
  if (chosen && chosen !== name) ctx.out.warn(`CDPADM_PROFILE is set to ${chosen} and wins over the current profile.`);
}
