// `auth login`: stores the secrets of a profile, or notes where they are.
import { Command } from 'commander';
import { usageError } from '../../lib/kernel/errors.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { forgetToken } from '../../lib/runtime/memory/forget-token.ts';
import { asColumns, withHelp } from '../../lib/runtime/command-line/help.ts';
import { addSecretFlags, readSecretFlags } from '../../lib/runtime/command-line/secret-flags.ts';
import { currentProfile } from './current.ts';

type Secrets = Awaited<ReturnType<typeof readSecretFlags>>;

const view: DocumentView<{ profile: string; stored: string[] }> = {
  kind: 'document',
  text: ({ profile, stored }) => `Stored for profile ${profile}: ${stored.join(', ')}.`,
};

export function loginCommand(ctx: Context): Command {
  const command = new Command('login').description('store the secrets of a profile');
  addSecretFlags(command).action((flags: Record<string, unknown>) => login(ctx, flags));
  return withHelp(command, {
    calls: 'settings',
    columns: asColumns('profile stored'),
    notes: [
      'For the profile in use, or the one that --profile names. On a terminal you are asked for what no flag gives.',
    ],
    examples: [
      'cdpadm auth login --profile dev --client-secret-env CDP_SECRET',
      'cdpadm auth login --profile dev --client-secret-stdin --insecure-storage --dry-run < secret.txt',
    ],
    json: '{"profile","stored":["client_secret"]}',
    exits: { 4: 'the keychain cannot be used', 5: 'there is no such profile' },
  });
}

async function login(ctx: Context, flags: Record<string, unknown>): Promise<void> {
  const profile = await currentProfile(ctx);
  const profiles = await ctx.profiles();
  const secrets = await readSecretFlags(ctx, flags);
  const storage = flags['insecureStorage'] === true ? 'file' : 'keychain';
  if (Object.keys({ ...secrets.references, ...secrets.typed }).length === 0) await ask(ctx, secrets);
  const stored = Object.keys({ ...secrets.references, ...secrets.typed });
  if (stored.length === 0)
    throw usageError('There is nothing to store.', 'Give a secret by one of the flags; see --help.');
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun(
      [],
      { profile, stored },
      () => `Would be stored for profile ${profile}: ${stored.join(', ')}.`,
      [profile],
    );
    return;
  }
  await forgetToken(ctx, profile);
  await profiles.setSecrets(profile, { ...secrets, storage });
  if (storage === 'file' && Object.keys(secrets.typed).length > 0) {
    ctx.out.warn('The secret is in a file that is private but not encrypted.');
  }
  await ctx.out.emit({ profile, stored }, view);
  ctx.out.note('Try it: cdpadm auth test');
}

async function ask(ctx: Context, { references, typed }: Secrets): Promise<void> {
  const asked = { flag: '--client-id and --client-secret-env NAME' };
  const id = (await ctx.prompt.input('Client id (Enter to leave as it is)', asked)).trim();
  if (id !== '') references.client_id = id;
  const questions = [
    ['client_secret', 'Client secret', '--client-secret-env NAME'],
    ['workspace_key', 'Workspace key', '--workspace-key env:NAME'],
    ['workspace_secret', 'Workspace secret', '--workspace-secret-env NAME'],
  ] as const;
  for (const [name, label, flag] of questions) {
    const value = (await ctx.prompt.secret(`${label} (Enter to leave as it is)`, { flag })).trim();
    if (value !== '') typed[name] = value;
  }
}
