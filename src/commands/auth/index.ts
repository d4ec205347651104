// The auth commands: `login` and `logout` store and remove a profile's secrets, and `test` checks them in each area.
import { group, defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { exitOf, fail } from '../../lib/errors/fail.ts';
import type { ExitName } from '../../lib/errors/entry.ts';
import type { Column } from '../../lib/render/view.ts';
import { type AreaCheck, areaCheck, checkAreas } from '../../lib/runtime/checks/areas.ts';
import * as z from 'zod/mini';
import { type KnownError, usageError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { forgetToken } from '../../lib/runtime/memory/secrets.ts';
import { readSecretFlags, secretFlags } from '../../lib/runtime/command-line/secret-flags.ts';

function secretName() {
  return z.enum(['client_id', 'client_secret', 'workspace_key', 'workspace_secret']);
}

/** Returns the name of the current profile; throws KnownError usage (2) if no profile is selected or it is built in. */
async function currentProfile(ctx: Context): Promise<string> {
  const { profile } = await ctx.settings();
  if (!profile)
    throw usageError('No profile is selected.', {
      text: 'Pass --profile NAME, or create a profile:',
      command: 'cdpadm profile create NAME',
    });
  if (profile.value === 'local')
    throw usageError('Profile `local` is built in and stores no secrets.', 'Pass another profile: --profile NAME.');
  return profile.value;
}

const logIn = defineCommand({
  path: 'auth login',
  summary: "store a profile's secrets",
  effect: 'local',
  calls: 'settings',
  flags: secretFlags,
  output: () => z.object({ profile: z.string(), stored: z.array(secretName()) }),
  notes: ['Without --profile, the command uses the current profile. If no secret is passed, it prompts on a terminal.'],
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
    if (stored.length === 0) throw usageError('No secret was passed.', 'Pass a secret with a flag; see --help.');
    if (ctx.flags.dryRun) {
      const text = `Would be stored for profile ${profile}: ${stored.join(', ')}.`;
      return await ctx.out.emitDryRun([], { profile, stored }, text, [profile]);
    }
    await forgetToken(ctx, profile);
    await profiles.setSecrets(profile, { references, typed, storage });
    if (storage === 'file' && Object.keys(typed).length > 0) {
      ctx.out.warn('Secrets are stored in a private, unencrypted file.');
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

const logOut = defineCommand({
  path: 'auth logout',
  summary: "remove a profile's secrets",
  effect: 'local',
  calls: 'settings',
  output: () => z.object({ profile: z.string(), removed: z.array(secretName()) }),
  notes: [
    'The client id stays in the profile.',
    'The platform cannot revoke an access token: a copy of it remains valid for up to eight hours.',
  ],
  examples: ['cdpadm auth logout --profile dev --yes', 'cdpadm auth logout --profile dev --dry-run'],
  exits: { notFound: 'profile not found', guard: 'you answered no' },
  run: async (ctx) => {
    const profile = await currentProfile(ctx);
    const preview = `The secrets of profile ${profile} and its cached token would be removed.`;
    if (ctx.flags.dryRun) return await ctx.out.emitDryRun([], { profile }, preview, [profile]);
    await ctx.prompt.confirm(`Remove the secrets of profile ${profile}?`);
    await forgetToken(ctx, profile);
    const { removed, left } = await (await ctx.profiles()).forgetSecrets(profile);
    for (const sentence of left) ctx.out.warn(sentence);
    return { profile, removed };
  },
  view: {
    kind: 'document',
    text: ({ profile, removed }) =>
      removed.length === 0
        ? `Profile ${profile} had no secrets.`
        : `Removed from profile ${profile}: ${removed.join(', ')}.`,
  },
});

const COLUMNS: Column<Omit<AreaCheck, 'error'>>[] = [
  { key: 'credential', id: true, value: ({ credential }) => credential },
  { key: 'area', id: true, value: ({ area }) => area },
  {
    key: 'status',
    uncut: true,
    value: ({ status }) => status.replace('_', ' '),
    paint: (text, { status }, style) =>
      status === 'ok' ? style.green(text) : status === 'failed' ? style.red(text) : style.dim(text),
  },
  { key: 'detail', uncut: true, value: ({ detail }) => detail },
];

const testAuth = defineCommand({
  path: 'auth test',
  summary: "test the profile's credentials",
  effect: 'read',
  calls: 'platform',
  columns: COLUMNS,
  output: () => z.array(areaCheck()),
  notes: [
    'platform: requests a token, then lists tasks, groups and connections. dsr: reads discovery. seeding: sends an empty list of users, which changes nothing; the platform checks the key and secret before it accepts or rejects the list. dsr and seeding use the same pair, `workspace_key` and `workspace_secret`.',
  ],
  examples: ['cdpadm auth test --profile local', 'cdpadm auth test --profile local -o json'],
  exits: {
    failed: 'the response does not come from the platform',
    auth: 'the configured credentials do not work, or none are configured',
  },
  run: async (ctx) => {
    const checks = await checkAreas(ctx);
    const rows = checks.map(({ error: _error, ...check }) => check);
    await ctx.out.emit(rows, { kind: 'list', columns: COLUMNS, empty: '', name: ({ area }) => area });
    const failed = checks.find(({ error }) => error !== undefined);
    if (failed?.error) throw testFailed(failed.area, failed.error);
    if (checks.every(({ status }) => status === 'not_configured')) throw await nothingConfigured(ctx);
  },
});

/** Keeps the exit code of usage errors, network errors, outages and unexpected responses: they prove nothing. */
function testFailed(area: string, cause: KnownError): KnownError {
  const kept: ExitName[] = ['usage', 'unavailable', 'network'];
  const isOther = ['http.unreadable', 'http.redirect'].includes(cause.code) || (cause.status ?? 0) >= 500;
  const unreached = isOther || kept.includes(exitOf(cause));
  return fail('auth.test_failed', {
    message: `The credentials for ${area} ${unreached ? 'could not be tested' : 'do not work'}: ${cause.message}`,
    // The hints of the error may suggest this command.
    hint: cause.hints.filter(({ command }) => command !== 'cdpadm auth test'),
    ...(cause.status !== undefined && { status: cause.status }),
    ...(cause.request && { request: cause.request }),
    exit: unreached ? exitOf(cause) : 'auth',
    cause,
  });
}

async function nothingConfigured(ctx: Context): Promise<KnownError> {
  const { profile } = await ctx.settings();
  return fail('auth.no_credentials', {
    message: 'No area has both credentials and an address.',
    hint: profile
      ? {
          text: 'The list above shows other missing settings. To store credentials:',
          command: `cdpadm auth login --profile ${profile.value}`,
        }
      : {
          text: 'Set CDPADM_CLIENT_ID and CDPADM_CLIENT_SECRET, or create a profile:',
          command: 'cdpadm profile create NAME',
        },
  });
}

export const command = group('auth', 'credentials: store, remove, test', [testAuth, logIn, logOut]);
