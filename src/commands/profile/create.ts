// `profile create NAME`: a new profile, from flags, the environment and questions.
import { resolve } from 'node:path';
import { boolean, object, string } from 'zod/mini';
import { KnownError, usageError } from '../../lib/kernel/errors.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import { checkAddress } from '../../lib/runtime/checks/machine.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand, type FlagSpec, type FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { type Draft, FIELDS, type Profiles, settingFlags, type SettingName } from './fields.ts';
import { profileText } from './change-text.ts';
import { type AddressProbe, askForMissing, hasAddress } from './questions.ts';
import { profileResult } from './results.ts';
import { readSecretFlags, secretFlags } from '../../lib/runtime/command-line/secret-flags.ts';
import { type AreaCheck, checkAreas } from '../../lib/runtime/checks/areas.ts';
import { settingsAlone } from '../../lib/runtime/other-profile.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import type { Style } from '../../lib/render/style.ts';
import { wrapUnder } from '../../lib/render/width.ts';

const createFlags = {
  ...settingFlags,
  protected: { help: 'every write asks for the name of the profile' },
  access: { value: 'access', help: 'read blocks every write', choices: ['read', 'write'] },
  ...secretFlags,
  fromEnv: { help: 'take from CDPADM_* variables what no flag gives; secrets stay where they are' },
  use: { help: 'make it the current profile; the first one always is' },
} as const satisfies Record<string, FlagSpec>;

type Flags = FlagValues<typeof createFlags>;

const view: DocumentView<{ name: string; current: boolean }> = {
  kind: 'document',
  text: ({ name, current }) => `Created profile ${name}${current ? ', now the current one' : ''}.`,
};

export const createProfile = defineCommand({
  path: 'profile create',
  summary: 'create a profile',
  effect: 'local',
  calls: 'settings',
  args: { name: { optional: true, help: 'its name' } },
  flags: createFlags,
  columns: asColumns('name current file profile'),
  output: () => object({ name: string(), current: boolean(), file: string(), profile: profileResult() }),
  notes: [
    'Ids come by --org, --account and --workspace, further authorities by --ca-file. On a terminal you are asked for what is missing, and whether the credentials are to be tried. A secret is kept in the keychain; the settings file only says where it is.',
  ],
  examples: [
    'cdpadm profile create prod --base-url https://api.example.com --auth-url https://auth.example.com --org 123 --account 456 --client-id my-client --client-secret-env CDP_SECRET --protected',
    'cdpadm profile create ci --from-env --use',
    'cdpadm profile create dev --base-url https://api.example.com --auth-url https://auth.example.com --client-id my-client --client-secret-command "pass show cdp/dev" --dry-run',
  ],
  exits: { auth: 'the keychain cannot be used', conflict: 'there is a profile of that name' },
  run: async (ctx, { args: { name }, flags }) => {
    if (name === undefined && !ctx.prompt.possible)
      throw usageError('Missing required argument `name`.', {
        text: 'To see its arguments:',
        command: 'cdpadm profile create --help',
      });
    await create(ctx, name, flags);
  },
});

async function create(ctx: Context, given: string | undefined, flags: Flags): Promise<void> {
  const profiles = await ctx.profiles();
  const { references, typed } = await readSecretFlags(ctx, flags);
  const name = given ?? (await unlessStopped(NOT_MADE, askName(ctx, profiles)));
  await profiles.checkNewName(name);
  const storage = flags.insecureStorage === true ? 'file' : 'keychain';
  const draft: Draft = {
    profile: {
      ...settingsFrom(ctx, profiles, flags),
      ...(flags.protected === true && { protected: true }),
      ...(flags.access !== undefined && { access: flags.access }),
    },
    typed,
    storage,
    use: flags.use === true,
  };
  const secrets = { ...(flags.fromEnv === true && secretsInEnvironment(ctx, typed)), ...references };
  if (Object.keys(secrets).length > 0) draft.profile.secrets = secrets;
  if (ctx.prompt.possible) {
    const asking = askForMissing(ctx, profiles, draft, { all: !hasAddress(draft), probe: probeFor(ctx, draft) });
    await unlessStopped(NOT_MADE, asking);
  }
  refuseEmpty(draft);
  if (ctx.flags.dryRun) {
    const text = await profileText(asStored(draft));
    await ctx.out.emitDryRun(
      [],
      { name, profile: asStored(draft) },
      () => `Profile ${name} would be created in ${profiles.file}:\n\n${text}`,
      [name],
    );
    return;
  }
  const { current } = await profiles.create(name, draft);
  const profile = await profiles.find(name);
  if (storage === 'file' && Object.keys(draft.typed).length > 0) {
    ctx.out.warn('The secret is in a file that is private but not encrypted.');
  }
  const created = { name, current, file: profiles.file, profile };
  await ctx.out.emit(created, view);
  const isOffered = ctx.prompt.possible && !ctx.flags.yes && profile.secrets !== undefined;
  const isTried = isOffered && (await unlessStopped(`Profile ${name} was made.`, offerTry(ctx, name)));
  if (!isTried) ctx.out.note({ text: 'Try it:', command: `cdpadm auth test --profile ${name}` });
}

const NOT_MADE = 'No profile was made.';

/** Ctrl-C at a question, or any other stop, says what became of the profile. */
async function unlessStopped<T>(made: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof KnownError) || !['interrupted', 'terminated', 'hung_up'].includes(error.code)) throw error;
    throw error.with({ hint: made });
  }
}

async function askName(ctx: Context, profiles: Profiles): Promise<string> {
  const problemOf = await profiles.newNameProblem();
  const check = (text: string): string | undefined => problemOf(text.trim());
  return (await ctx.prompt.input('Name of the profile', { flag: 'a name', check })).trim();
}

/** Long enough for a platform far away, and short enough for somebody who waits for the next question. */
const LOOK_LIMIT_MS = 3000;

/** Without credentials. With `--yes` nothing is looked at: no call that nobody asked for. */
function probeFor(ctx: Context, { profile }: Draft): AddressProbe {
  const caFile = profile.ca_file ?? (ctx.io.env.CDPADM_CA_FILE || undefined);
  return (address) =>
    ctx.flags.yes
      ? Promise.resolve({ status: 'skipped', detail: 'not probed' })
      : checkAddress(ctx, address, { check: 'address', caFile, limitMs: LOOK_LIMIT_MS });
}

/** The profile as it would be kept: a secret that was typed or piped in is named with its place. */
function asStored({ profile, typed, storage }: Draft): Draft['profile'] {
  const kept = Object.fromEntries(Object.keys(typed).map((name) => [name, `${storage}:`]));
  const secrets = { ...profile.secrets, ...kept };
  return { ...profile, ...(Object.keys(secrets).length > 0 && { secrets }) };
}

/** Every setting that a flag gives, or with `--from-env` a variable, checked. */
function settingsFrom(ctx: Context, profiles: Profiles, flags: Flags): Partial<Record<SettingName, string>> {
  const { org, account, workspace, caFile } = ctx.flags;
  const everywhere: Partial<Record<SettingName, string | undefined>> = {
    org_id: org,
    account_id: account,
    workspace_id: workspace,
    ca_file: caFile,
  };
  const found: Partial<Record<SettingName, string>> = {};
  for (const { name, key, flag } of FIELDS) {
    const variable = `CDPADM_${name.toUpperCase()}`;
    const given = key === undefined ? everywhere[name] : flags[key];
    const text = given ?? (flags.fromEnv === true ? ctx.io.env[variable] || undefined : undefined);
    if (text === undefined) continue;
    const checked = profiles.checkValue(name, text);
    if ('problem' in checked) throw usageError(`${given === undefined ? variable : flag} ${checked.problem}.`);
    found[name] = name === 'ca_file' ? resolve(ctx.io.cwd, checked.value) : checked.value;
  }
  return found;
}

/** Secrets of the environment are referred to by their variable; the client id is copied. */
function secretsInEnvironment(ctx: Context, typed: Draft['typed']): Draft['typed'] {
  const found: Draft['typed'] = {};
  for (const name of ['client_id', 'client_secret', 'workspace_key', 'workspace_secret'] as const) {
    const variable = `CDPADM_${name.toUpperCase()}`;
    const value = ctx.io.env[variable];
    if (value && typed[name] === undefined) found[name] = name === 'client_id' ? value : `env:${variable}`;
  }
  return found;
}

function refuseEmpty(draft: Draft): void {
  if (hasAddress(draft)) return;
  throw usageError(
    'A profile needs at least one address.',
    'Give --base-url, --dsr-base-url, --seeding-url or --identity-url.',
  );
}

/**
 * Offers to try a new profile's credentials, by its own settings alone (decision: D172). What does not work is told and
 * leaves the profile as it is. Resolves to whether they were tried.
 */
async function offerTry(ctx: Context, name: string): Promise<boolean> {
  const wanted = await ctx.prompt.ask('Try the credentials now?', true);
  if (!wanted) return false;
  const checks = await checkAreas(ctx, await settingsAlone(ctx, name, 'profile create'));
  const told = checks.filter(({ status }) => status === 'ok' || status === 'failed');
  if (told.length === 0) {
    const details = checks.flatMap(({ status, detail }) => (status === 'not_configured' ? [detail] : []));
    const missing = new Set(details.flatMap((detail) => detail.replace(/^missing: /, '').split(', ')));
    ctx.out.warn(`No area can be tried yet; missing: ${[...missing].join(', ')}.`);
    return true;
  }
  ctx.out.show((style, width) => told.map((check) => lineOf(check, style, width)).join('\n'));
  if (told.some(({ status }) => status === 'failed')) {
    ctx.out.note({ text: 'The profile is kept. To change it:', command: `cdpadm profile edit ${name}` });
    ctx.out.note({ text: 'To store other secrets:', command: `cdpadm auth login --profile ${name}` });
    ctx.out.note({ text: 'To try them again:', command: `cdpadm auth test --profile ${name}` });
  }
  return true;
}

function lineOf({ area, detail, status }: AreaCheck, style: Style, width: number): string {
  const paint = status === 'ok' ? style.green : style.red;
  return wrapUnder(`${paint(status === 'ok' ? 'works ' : 'failed')}  `, cleanLine(`${area}: ${detail}`), width);
}
