// `profile copy FROM TO` and `profile rename FROM TO`: the same settings and secrets under another name.
import { type infer as Infer, object, string } from 'zod/mini';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { type CommandRecord, defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { profileText } from './change-text.ts';

type Names = Infer<ReturnType<typeof namesResult>>;

function namesResult() {
  return object({ from: string(), to: string() });
}

const shared = {
  effect: 'local',
  calls: 'settings',
  columns: asColumns('from to'),
  output: namesResult,
  exits: { notFound: 'there is no such profile', conflict: 'there is a profile of the new name' },
} as const satisfies Partial<CommandRecord>;

export const copyProfile = defineCommand({
  ...shared,
  path: 'profile copy',
  summary: 'make a second profile with the same settings and secrets',
  args: { from: { help: 'the profile' }, to: { help: 'the name of the new one' } },
  notes: ['Secrets in a private file are copied; the keychain, variables and commands are shared.'],
  examples: ['cdpadm profile copy dev dev2', 'cdpadm profile copy dev dev2 --dry-run'],
  run: (ctx, { args }) => copy(ctx, args),
});

export const renameProfile = defineCommand({
  ...shared,
  path: 'profile rename',
  summary: 'give a profile another name',
  args: { from: { help: 'the profile' }, to: { help: 'its new name' } },
  examples: ['cdpadm profile rename dev staging', 'cdpadm profile rename dev staging --dry-run'],
  run: (ctx, { args }) => rename(ctx, args),
});

async function copy(ctx: Context, { from, to }: Names): Promise<void> {
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
  await ctx.out.emit({ from, to }, viewOf(`Copied profile ${from} to ${to}.`));
}

async function rename(ctx: Context, { from, to }: Names): Promise<void> {
  const profiles = await ctx.profiles();
  await profiles.find(from);
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([], { from, to }, () => `Profile ${from} would be called ${to}.`, [to]);
    return;
  }
  await profiles.rename(from, to);
  await ctx.out.emit({ from, to }, viewOf(`Profile ${from} is now called ${to}.`));
}

function viewOf(text: string): DocumentView<Names> {
  return { kind: 'document', text: () => text, names: ({ to }) => [to] };
}
