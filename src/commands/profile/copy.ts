// `profile copy FROM TO` and `profile rename FROM TO`: the same settings and secrets under another name.
import { pickProfile } from '../pick.ts';
import { object, string } from 'zod/mini';
import { type CommandRecord, defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { profileText } from './change-text.ts';

const shared = {
  effect: 'local',
  calls: 'settings',
  columns: asColumns('from to'),
  output: () => object({ from: string(), to: string() }),
  exits: { notFound: 'profile not found', conflict: 'a profile with the new name already exists' },
} as const satisfies Partial<CommandRecord>;

const names = ({ to }: { to: string }): string[] => [to];

export const copyProfile = defineCommand({
  ...shared,
  path: 'profile copy',
  summary: 'create a second profile with the same settings and secrets',
  args: { from: { help: 'the profile', pick: pickProfile }, to: { help: 'name of the new profile' } },
  notes: ['Secrets in a private file are copied. Both profiles share the keychain, variables and commands.'],
  examples: ['cdpadm profile copy dev dev2', 'cdpadm profile copy dev dev2 --dry-run'],
  run: async (ctx, { args: { from, to } }) => {
    const profiles = await ctx.profiles();
    const profile = await profiles.find(from);
    await profiles.checkNewName(to);
    if (ctx.flags.dryRun) {
      const text = `Profile ${from} would be copied to ${to}:\n\n${await profileText(profile)}`;
      return await ctx.out.emitDryRun([], { from, to, profile }, () => text, [to]);
    }
    await profiles.copy(from, to);
    return { from, to };
  },
  view: { kind: 'document', text: ({ from, to }) => `Copied profile ${from} to ${to}.`, names },
});

export const renameProfile = defineCommand({
  ...shared,
  path: 'profile rename',
  summary: 'rename a profile',
  args: { from: { help: 'the profile', pick: pickProfile }, to: { help: 'its new name' } },
  examples: ['cdpadm profile rename dev staging', 'cdpadm profile rename dev staging --dry-run'],
  run: async (ctx, { args: { from, to } }) => {
    const profiles = await ctx.profiles();
    await profiles.find(from);
    if (ctx.flags.dryRun) {
      return await ctx.out.emitDryRun([], { from, to }, () => `Profile ${from} would be renamed to ${to}.`, [to]);
    }
    await profiles.rename(from, to);
    return { from, to };
  },
  view: { kind: 'document', text: ({ from, to }) => `Renamed profile ${from} to ${to}.`, names },
});
