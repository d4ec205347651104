// `auth login`: stores the secrets of a profile, or notes where they are.
import { array, object, string } from 'zod/mini';
import { usageError } from '../../lib/kernel/errors.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { forgetToken } from '../../lib/runtime/memory/secrets.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { readSecretFlags, type SecretFlags, secretFlags } from '../../lib/runtime/command-line/secret-flags.ts';
import { currentProfile, secretName } from './results.ts';

type Secrets = Awaited<ReturnType<typeof readSecretFlags>>;

const view: DocumentView<{ profile: string; stored: string[] }> = {
  kind: 'document',
  text: ({ profile, stored }) => `Stored for profile ${profile}: ${stored.join(', ')}.`,
};

export const logIn = defineCommand({
  path: 'auth login',
  summary: 'store the secrets of a profile',
  effect: 'local',
  calls: 'settings',
  flags: secretFlags,
  columns: asColumns('profile stored'),
  output: () => object({ profile: string(), stored: array(secretName()) }),
  notes: [
    'For the profile in use, or the one that --profile names. On a terminal you are asked for what no flag gives.',
  ],
  examples: [
    'cdpadm auth login --profile dev --client-secret-env CDP_SECRET',
    'cdpadm auth login --profile dev --client-secret-stdin --insecure-storage --dry-run < secret.txt',
  ],
  exits: { auth: 'the keychain cannot be used', notFound: 'there is no such profile' },
  run: (ctx, { flags }) => login(ctx, flags),
});

async function login(ctx: Context, flags: SecretFlags): Promise<void> {
  const profile = await currentProfile(ctx);
  const profiles = await ctx.profiles();
  const secrets = await readSecretFlags(ctx, flags);
  const storage = flags.insecureStorage ? 'file' : 'keychain';
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
  ctx.out.note({ text: 'Try it:', command: 'cdpadm auth test' });
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
