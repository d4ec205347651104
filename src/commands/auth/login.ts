// `auth login`: stores the secrets of a profile, or references to them.
import { array, object, string } from 'zod/mini';
import { usageError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { forgetToken } from '../../lib/runtime/memory/secrets.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { readSecretFlags, secretFlags } from '../../lib/runtime/command-line/secret-flags.ts';
import { currentProfile, secretName } from './results.ts';

export const logIn = defineCommand({
  path: 'auth login',
  summary: 'store the secrets of a profile',
  effect: 'local',
  calls: 'settings',
  flags: secretFlags,
  columns: asColumns('profile stored'),
  output: () => object({ profile: string(), stored: array(secretName()) }),
  notes: ['Without --profile, the command uses the current profile. On a terminal, it prompts for missing secrets.'],
  examples: [
    'cdpadm auth login --profile dev --client-secret-env CDP_SECRET',
    'cdpadm auth login --profile dev --client-secret-stdin --insecure-storage --dry-run < secret.txt',
  ],
  exits: { auth: 'the keychain is not available', notFound: 'profile not found' },
  run: async (ctx, { flags }) => {
    const profile = await currentProfile(ctx);
    const profiles = await ctx.profiles();
    const { references, typed } = await readSecretFlags(ctx, flags);
    const storage = flags.insecureStorage ? 'file' : 'keychain';
    if (Object.keys({ ...references, ...typed }).length === 0) await ask(ctx, references, typed);
    const stored = Object.keys({ ...references, ...typed });
    if (stored.length === 0) throw usageError('No secret was given.', 'Pass a secret with a flag; see --help.');
    if (ctx.flags.dryRun) {
      const text = `Would be stored for profile ${profile}: ${stored.join(', ')}.`;
      return await ctx.out.emitDryRun([], { profile, stored }, () => text, [profile]);
    }
    await forgetToken(ctx, profile);
    await profiles.setSecrets(profile, { references, typed, storage });
    if (storage === 'file' && Object.keys(typed).length > 0) {
      ctx.out.warn('The secret is in a file that is private but not encrypted.');
    }
    const text = `Stored for profile ${profile}: ${stored.join(', ')}.`;
    await ctx.out.emit({ profile, stored }, { kind: 'document', text: () => text });
    ctx.out.note({ text: 'To test them:', command: 'cdpadm auth test' });
  },
});

type Secrets = Awaited<ReturnType<typeof readSecretFlags>>;

async function ask(ctx: Context, references: Secrets['references'], typed: Secrets['typed']): Promise<void> {
  const asked = { flag: '--client-id and --client-secret-env NAME' };
  const id = (await ctx.prompt.input('Client id (Enter to keep)', asked)).trim();
  if (id !== '') references.client_id = id;
  const questions = [
    ['client_secret', 'Client secret', '--client-secret-env NAME'],
    ['workspace_key', 'Workspace key', '--workspace-key env:NAME'],
    ['workspace_secret', 'Workspace secret', '--workspace-secret-env NAME'],
  ] as const;
  for (const [name, label, flag] of questions) {
    const value = (await ctx.prompt.secret(`${label} (Enter to keep)`, { flag })).trim();
    if (value !== '') typed[name] = value;
  }
}
