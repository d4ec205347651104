// `profile import FILE NAME`: a profile from what `profile export` printed.
import { Command } from 'commander';
import { readInput } from '../../lib/files/read-input.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { asColumns, withHelp } from '../../lib/runtime/command-line/help.ts';
import { parseProfile, strangeNames } from './change-text.ts';

const view: DocumentView<{ name: string; current: boolean }> = {
  kind: 'document',
  text: ({ name, current }) => `Imported profile ${name}${current ? ', now the current one' : ''}.`,
};

export function importProfileCommand(ctx: Context): Command {
  const command = new Command('import')
    .description('make a profile from an exported one')
    .argument('<file>', 'JSON or YAML; - is standard input')
    .argument('<name>', 'the name of the new profile')
    .option('--use', 'make it the current profile')
    .action((file: string, name: string, flags: { use?: boolean }) =>
      importProfile(ctx, file, name, flags.use === true),
    );
  return withHelp(command, {
    calls: 'settings',
    columns: asColumns('name current'),
    notes: [
      'A profile says where your credentials go, and may name a command to run for them: look at a file from somebody else before you import it.',
    ],
    examples: ['cdpadm profile import dev.profile.json dev', 'cdpadm profile import - dev --dry-run'],
    json: '{"name","current"}',
    exits: { 6: 'there is a profile of that name', 9: 'the file is not a profile', 12: 'you answered no' },
  });
}

async function importProfile(ctx: Context, file: string, name: string, use: boolean): Promise<void> {
  const profiles = await ctx.profiles();
  await profiles.checkNewName(name);
  const input = await readInput(file, ctx);
  const profile = await parseProfile(input.name, input.text, profiles);
  for (const sentence of strangeNames(profile)) ctx.out.warn(sentence);
  const commands = Object.values(profile.secrets ?? {}).filter((text) => String(text).startsWith('command:'));
  for (const line of commands) ctx.out.warn(`This profile runs a command for a secret: ${String(line).slice(8)}`);
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([], { name, profile }, () => `Profile ${name} would be created.`, [name]);
    return;
  }
  if (commands.length > 0) await ctx.prompt.confirm('Import it?');
  const { current } = await profiles.create(name, { profile, typed: {}, storage: 'keychain', use });
  await ctx.out.emit({ name, current }, view);
}
