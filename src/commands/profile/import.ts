// `profile import FILE NAME`: a profile from what `profile export` printed.
import { boolean, object, string } from 'zod/mini';
import { readInput } from '../../lib/files/read-input.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { parseProfile, strangeNames } from './change-text.ts';

const view: DocumentView<{ name: string; current: boolean }> = {
  kind: 'document',
  text: ({ name, current }) => `Imported profile ${name}${current ? ', now the current one' : ''}.`,
};

export const importProfile = defineCommand({
  path: 'profile import',
  summary: 'make a profile from an exported one',
  effect: 'local',
  calls: 'settings',
  args: { file: { help: 'JSON or YAML; - is standard input' }, name: { help: 'the name of the new profile' } },
  flags: { use: { help: 'make it the current profile' } },
  columns: asColumns('name current'),
  output: () => object({ name: string(), current: boolean() }),
  notes: [
    'A profile says where your credentials go, and may name a command to run for them: look at a file from somebody else before you import it.',
  ],
  examples: ['cdpadm profile import dev.profile.json dev', 'cdpadm profile import - dev --dry-run'],
  exits: {
    conflict: 'there is a profile of that name',
    invalidInput: 'the file is not a profile',
    guard: 'you answered no',
  },
  run: (ctx, { args, flags }) => importFile(ctx, args.file, args.name, flags.use === true),
});

async function importFile(ctx: Context, file: string, name: string, use: boolean): Promise<void> {
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
