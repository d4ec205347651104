// `profile copy FROM TO`: a second profile with the same settings.
import { Command } from 'commander';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { asColumns, withHelp } from '../../lib/runtime/command-line/help.ts';
import { profileText } from './change-text.ts';

const view: DocumentView<{ from: string; to: string }> = {
  kind: 'document',
  text: ({ from, to }) => `Copied profile ${from} to ${to}.`,
  names: ({ to }) => [to],
};

export function copyProfileCommand(ctx: Context): Command {
  const command = new Command('copy')
    .description('make a second profile with the same settings and secrets')
    .argument('<from>', 'the profile')
    .argument('<to>', 'the name of the new one')
    .action((from: string, to: string) => copyProfile(ctx, from, to));
  return withHelp(command, {
    calls: 'settings',
    columns: asColumns('from to'),
    notes: ['Secrets in a private file are copied; the keychain, variables and commands are shared.'],
    examples: ['cdpadm profile copy dev dev2', 'cdpadm profile copy dev dev2 --dry-run'],
    json: '{"from","to"}',
    exits: { 5: 'there is no such profile', 6: 'there is a profile of the new name' },
  });
}

async function copyProfile(ctx: Context, from: string, to: string): Promise<void> {
  const profiles = await ctx.profiles();
  const profile = await profiles.find(from);
  await profiles.checkNewName(to);
  if (ctx.flags.dryRun) {
    const text = await profileText(profile);
    await ctx.out.emitDryRun([], { from, to, profile }, () => `Profile ${from} would be copied to ${to}:\n\n${text}`, [
      to,
    ]);
    return;
  }
  await profiles.copy(from, to);
  await ctx.out.emit({ from, to }, view);
}
