// `profile create NAME`: creates a profile from flags, the environment and questions.
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { KnownError, usageError } from '../../lib/kernel/errors.ts';
import { onAbort } from '../../lib/kernel/clock.ts';
import { checkAddress } from '../../lib/runtime/checks/machine.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { TargetFlags } from '../../lib/runtime/command-line/complete-hint.ts';
import {
  defineCommand,
  type FlagSpec,
  type FlagValues,
  optionKey,
} from '../../lib/runtime/command-line/define-command.ts';
import { setFlag, strangeNames, withChanges } from './edit.ts';
import { type Draft, FIELDS, type Profiles, settingFlags, type SettingName, profileResult } from './fields.ts';
import { toYaml } from '../../lib/files/yaml-text.ts';
import { addressHint, type AddressProbe, askForSettings, hasAddress } from './questions.ts';
import { readSecretFlags, secretFlags } from '../../lib/runtime/command-line/secret-flags.ts';

const createFlags = {
  ...settingFlags,
  protected: { help: 'require typing the profile name to confirm each write' },
  access: { value: 'access', help: 'allowed access; read blocks every write', choices: ['read', 'write'] },
  set: {
    ...setFlag,
    help: 'a field without a flag: allow_commands, allow_files, limits.AREA or names.WORD (repeatable)',
  },
  ...secretFlags,
  fromEnv: { help: 'read the settings that no flag sets from CDPADM_* variables; secrets are not copied' },
  use: { help: 'make the new profile the current one (always true for the first profile)' },
} as const satisfies Record<string, FlagSpec>;

type Flags = FlagValues<typeof createFlags>;

export const createProfile = defineCommand({
  path: 'profile create',
  summary: 'create a profile',
  effect: 'local',
  calls: 'settings',
  args: { name: { optional: true, help: 'name of the profile' } },
  flags: createFlags,
  output: () => z.object({ name: z.string(), current: z.boolean(), file: z.string(), profile: profileResult() }),
  notes: [
    'The ids come from --org, --account and --workspace, and additional certificate authorities from --ca-file. On a terminal, the command asks for the platform address, the client id and the client secret, shows all settings for review, and offers to test the credentials. Unless you give a different address, the token service uses the platform address. Secrets are stored in the keychain; the settings file contains only references to them.',
  ],
  examples: [
    'cdpadm profile create prod --base-url https://api.example.com --auth-url https://auth.example.com --org 123 --account 456 --client-id my-client --client-secret-env CDP_SECRET --protected',
    'cdpadm profile create ci --from-env --use',
    'cdpadm profile create dev --base-url https://api.example.com --auth-url https://auth.example.com --client-id my-client --client-secret-command "pass show cdp/dev" --dry-run',
  ],
  exits: { auth: 'the keychain is not available', conflict: 'a profile with that name already exists' },
  run: async (ctx, { args, flags }) => {
    if (args.name === undefined && !ctx.prompt.possible)
      throw usageError('Missing required argument `name`.', {
        text: 'To see the arguments:',
        command: 'cdpadm profile create --help',
      });
    const profiles = await ctx.profiles();
    const { references, typed } = await readSecretFlags(ctx, flags);
    const problemOf = await profiles.newNameProblem();
    const check = (text: string): string | undefined => problemOf(text.trim());
    const asked = () => ctx.prompt.input('Name of the profile', { flag: 'a name', check });
    const name = args.name ?? (await unlessStopped(NOT_CREATED, asked())).trim();
    await profiles.checkNewName(name);
    const secrets = { ...(flags.fromEnv && secretsInEnvironment(ctx, typed)), ...references };
    const given = {
      ...settingsFrom(ctx, profiles, flags),
      ...(flags.protected && { protected: true }),
      ...(flags.access !== undefined && { access: flags.access }),
      ...(Object.keys(secrets).length > 0 && { secrets }),
    };
    const profile = withChanges(given, flags.set ?? [], profiles);
    for (const sentence of strangeNames(profile)) ctx.out.warn(sentence);
    const draft: Draft = {
      profile,
      typed,
      storage: flags.insecureStorage ? 'file' : 'keychain',
      use: flags.use === true,
    };
    const asking = { name, probe: probeFor(ctx, draft) };
    if (ctx.prompt.possible) await unlessStopped(NOT_CREATED, askForSettings(ctx, profiles, draft, asking));
    if (draft.profile.base_url !== undefined) draft.profile.auth_url ??= draft.profile.base_url;
    if (!hasAddress(draft)) {
      throw usageError(
        'A profile needs at least one address.',
        'Pass --base-url, --dsr-base-url, --seeding-url or --identity-url.',
      );
    }
    if (ctx.flags.dryRun) {
      const stored = asStored(draft);
      const text = `Profile ${name} would be created in ${profiles.file}:\n\n${toYaml(stored)}`;
      return await ctx.out.emitDryRun([], { name, profile: stored }, text, [name]);
    }
    const { current } = await profiles.create(name, draft);
    const stored = await profiles.find(name);
    if (draft.storage === 'file' && Object.keys(typed).length > 0)
      ctx.out.warn('Secrets are stored in a private, unencrypted file.');
    const created = { name, current, file: profiles.file, profile: stored };
    const text = `Created profile ${name}${current ? ', now the current one' : ''}.`;
    await ctx.out.emit(created, { kind: 'document', text: () => text });
    const hint = addressHint(name, draft);
    if (hint) ctx.out.note(hint);
    const isOffered = ctx.prompt.possible && !ctx.flags.yes && stored.secrets !== undefined;
    const isTried = isOffered && (await unlessStopped(`Profile ${name} was created.`, offerTest(ctx, name)));
    if (!isTried) ctx.out.note({ text: 'Try it:', command: `cdpadm auth test --profile ${name}` });
  },
});

const NOT_CREATED = 'No profile was created.';

/** If the user stops the command during `work`, adds `hint`, which reports whether the profile exists. */
async function unlessStopped<T>(hint: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof KnownError) || !['interrupted', 'terminated', 'hung_up'].includes(error.code)) throw error;
    throw error.with({ hint });
  }
}

/** Long enough for a distant platform, short enough for a user waiting for the next question. */
const PROBE_LIMIT_MS = 3000;

/** Returns a probe without credentials. `--yes` skips the probes, because the user did not request these calls. */
function probeFor(ctx: Context, { profile }: Draft): AddressProbe {
  const caFile = profile.ca_file ?? (ctx.io.env.CDPADM_CA_FILE || undefined);
  return (address) =>
    ctx.flags.yes
      ? Promise.resolve({ status: 'skipped', detail: 'not probed' })
      : checkAddress(ctx, 'address', address, { caFile, limitMs: PROBE_LIMIT_MS });
}

/** Returns the profile as it would be stored: a typed or piped secret becomes a reference. */
function asStored({ profile, typed, storage }: Draft): Draft['profile'] {
  const kept = Object.fromEntries(Object.keys(typed).map((name) => [name, `${storage}:`]));
  const secrets = { ...profile.secrets, ...kept };
  return { ...profile, ...(Object.keys(secrets).length > 0 && { secrets }) };
}

function settingsFrom(ctx: Context, profiles: Profiles, flags: Flags): Partial<Record<SettingName, string>> {
  const found: Partial<Record<SettingName, string>> = {};
  for (const { name, key, flag } of FIELDS) {
    const variable = `CDPADM_${name.toUpperCase()}`;
    const given = key === undefined ? ctx.flags[optionKey(flag) as keyof TargetFlags] : flags[key];
    const text = given ?? (flags.fromEnv ? ctx.io.env[variable] || undefined : undefined);
    if (text === undefined) continue;
    const checked = profiles.checkValue(name, text);
    if ('problem' in checked) throw usageError(`${given === undefined ? variable : flag} ${checked.problem}.`);
    found[name] = name === 'ca_file' ? resolve(ctx.io.cwd, checked.value) : checked.value;
  }
  return found;
}

/** Returns references to the variables that contain secrets. The client id is copied. */
function secretsInEnvironment(ctx: Context, typed: Draft['typed']): Draft['typed'] {
  const found: Draft['typed'] = {};
  for (const name of ['client_id', 'client_secret', 'workspace_key', 'workspace_secret'] as const) {
    const variable = `CDPADM_${name.toUpperCase()}`;
    const value = ctx.io.env[variable];
    if (value && typed[name] === undefined) found[name] = name === 'client_id' ? value : `env:${variable}`;
  }
  return found;
}

/** Offers to run `auth test` with only the new profile's settings (decision: D172). Returns false if the user declines. */
async function offerTest(ctx: Context, name: string): Promise<boolean> {
  if (!(await ctx.prompt.ask('Test the credentials now?', true))) return false;
  const stop = new AbortController();
  const ignoreStop = onAbort(ctx.signal, () => stop.abort(ctx.signal.reason));
  // Standard output is reserved for the result of this command.
  const io = Object.create(ctx.io, { stdout: { value: ctx.io.stderr } }) as Context['io'];
  const code = await ctx.runCommand(['auth', 'test', '--profile', name], io, stop).finally(ignoreStop);
  ctx.signal.throwIfAborted();
  if (code === 0) return true;
  ctx.out.note({ text: 'The profile is kept. To change it:', command: `cdpadm profile edit ${name}` });
  ctx.out.note({ text: 'To store different secrets:', command: `cdpadm auth login --profile ${name}` });
  return false;
}
