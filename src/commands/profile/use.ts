// `profile use NAME`: makes a profile the one that is used when nothing names another.
import { Command } from 'commander';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { asColumns, withHelp } from '../../lib/runtime/command-line/help.ts';

const view: DocumentView<{ current: string }> = {
  kind: 'document',
  text: ({ current }) => `Profile ${current} is the current one.`,
};

export function useProfileCommand(ctx: Context): Command {
  const command = new Command('use')
    .description('make a profile the current one')
    .argument('<name>', 'the profile; local is the embedded platform')
    .action((name: string) => useProfile(ctx, name));
  return withHelp(command, {
    calls: 'settings',
    columns: asColumns('current'),
    examples: ['cdpadm profile use local', 'cdpadm profile use prod --dry-run'],
    json: '{"current"}',
    exits: { 5: 'there is no such profile' },
  });
}

async function useProfile(ctx: Context, name: string): Promise<void> {
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
