// `profile import FILE NAME`: a profile from the output of `profile export`.
import { boolean, object, string } from 'zod/mini';
import { readInput } from '../../lib/files/read-input.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { parseProfile, strangeNames } from './change-text.ts';

export const importProfile = defineCommand({
  path: 'profile import',
  summary: 'create a profile from an exported one',
  effect: 'local',
  calls: 'settings',
  args: { file: { help: 'JSON or YAML; - is standard input' }, name: { help: 'the name of the new profile' } },
  flags: { use: { help: 'make it the current profile' } },
  columns: asColumns('name current'),
  output: () => object({ name: string(), current: boolean() }),
  notes: [
    'A profile decides where your credentials go, and may run a command to read them. Check a file from another person before you import it.',
  ],
  examples: ['cdpadm profile import dev.profile.json dev', 'cdpadm profile import - dev --dry-run'],
  exits: {
    conflict: 'a profile with that name already exists',
    invalidInput: 'the file is not a profile',
    guard: 'you answered no',
  },
  run: async (ctx, { args: { file, name }, flags: { use = false } }) => {
    const profiles = await ctx.profiles();
    await profiles.checkNewName(name);
    const input = await readInput(file, ctx);
    const profile = await parseProfile(input.name, input.text, profiles);
    for (const sentence of strangeNames(profile)) ctx.out.warn(sentence);
    const commands = Object.values(profile.secrets ?? {}).filter((text) => String(text).startsWith('command:'));
    for (const line of commands) ctx.out.warn(`This profile runs a command for a secret: ${String(line).slice(8)}`);
    if (ctx.flags.dryRun) {
      return await ctx.out.emitDryRun([], { name, profile }, () => `Profile ${name} would be created.`, [name]);
    }
    if (commands.length > 0) await ctx.prompt.confirm('Import it?');
    const { current } = await profiles.create(name, { profile, typed: {}, storage: 'keychain', use });
    return { name, current };
  },
  view: {
    kind: 'document',
    text: ({ name, current }) => `Imported profile ${name}${current ? ', now the current one' : ''}.`,
  },
});
