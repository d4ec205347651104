// `profile rename FROM TO`: another name for a profile and for what is stored for it.
import { Command } from 'commander';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { asColumns, withHelp } from '../../lib/runtime/command-line/help.ts';

const view: DocumentView<{ from: string; to: string }> = {
  kind: 'document',
  text: ({ from, to }) => `Profile ${from} is now called ${to}.`,
  names: ({ to }) => [to],
};

export function renameProfileCommand(ctx: Context): Command {
  const command = new Command('rename')
    .description('give a profile another name')
    .argument('<from>', 'the profile')
    .argument('<to>', 'its new name')
    .action((from: string, to: string) => renameProfile(ctx, from, to));
  return withHelp(command, {
    calls: 'settings',
    columns: asColumns('from to'),
    examples: ['cdpadm profile rename dev staging', 'cdpadm profile rename dev staging --dry-run'],
    json: '{"from","to"}',
    exits: { 5: 'there is no such profile', 6: 'there is a profile of the new name' },
  });
}

async function renameProfile(ctx: Context, from: string, to: string): Promise<void> {
  const profiles = await ctx.profiles();
  await profiles.find(from);
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([], { from, to }, () => `Profile ${from} would be called ${to}.`, [to]);
    return;
  }
  await profiles.rename(from, to);
  await ctx.out.emit({ from, to }, view);
}
