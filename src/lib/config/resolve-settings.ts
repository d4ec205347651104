// Resolves every setting with its source: flag > environment > project file > profile > default. A profile named by
// `--profile` is pinned: only flags override it, and the environment provides only missing secrets.
import { isAbsolute, join } from 'node:path';
import { type KnownError, usageError } from '../kernel/errors.ts';
import {
  refuseForeignAddress,
  checkSetting,
  flagOf,
  type IdName,
  labelOf,
  type Origin,
  type ProfileSecretName,
  SECRET_NAMES,
  type SecretName,
  type Setting,
  SETTING_NAMES,
  type SettingName,
  variableOf,
} from './setting-fields.ts';
import type { Profile } from './profile-schema.ts';
import type { ProjectFile } from './project-file.ts';
import type { SecretOwner } from './secrets.ts';
import { parseReference, secretIn } from './secret-file.ts';
import { fail } from '../errors/fail.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type LocalValues = Readonly<Partial<Record<SettingName | SecretName, string>>>;

export interface SettingsLayers {
  flags: Readonly<Partial<Record<SettingName, string | undefined>>>;
  env: Environment;
  /** Folder to which paths in flags and variables are relative. */
  cwd: string;
  project: ProjectFile | undefined;
  /** Profile in use. `stored` comes from the settings file, `local` from the embedded platform. */
  profile: { setting: Setting; stored: Profile; local?: LocalValues } | undefined;
  secret(written: string, owner: SecretOwner): Promise<string>;
  hide(secret: string): void;
}

interface SecretSource {
  origin: Origin;
  read(): Promise<string>;
}

export type Settings = ReturnType<typeof resolveSettings>;

/** Throws KnownError usage (2) for an invalid value, and names its source. */
export function resolveSettings(given: SettingsLayers) {
  const pinned = given.profile?.setting.origin.kind === 'flag';
  const layers = pinned ? { ...given, env: {}, project: undefined } : given;
  // The profile's secrets may be sent only to these addresses.
  const own: Partial<Record<SettingName, string | undefined>> = { ...layers.profile?.stored, ...layers.profile?.local };
  const settings = new Map<SettingName, Setting>();
  for (const name of SETTING_NAMES) {
    const setting = resolveOne(name, layers, own);
    if (setting) settings.set(name, setting);
  }
  const base = settings.get('base_url');
  if (base && !settings.has('audience')) {
    settings.set('audience', { value: base.value, origin: { kind: 'default', detail: 'base_url' } });
  }
  const sources = secretSources(given, pinned);
  const pending = new Map<SecretName, Promise<string>>();
  const get = (name: SettingName) => settings.get(name);

  function need(name: SettingName): string {
    const setting = settings.get(name);
    if (setting) return setting.value;
    const chosen = [...settings.values()].some(({ origin }) => origin.kind !== 'default' && origin.kind !== 'flag');
    if (!layers.profile && !chosen && sources.size === 0)
      throw fail('setup.none', {
        message: 'No platform is configured: there is no profile, and no CDPADM_* variable is set.',
        hint: [
          {
            text: 'To connect to your platform, set CDPADM_* variables (in CI), or run:',
            command: 'cdpadm profile create NAME',
          },
          { text: 'To try everything without an account, add --profile local, or run:', command: 'cdpadm tour' },
        ],
      });
    throw missing(name, layers.profile?.setting.value, pinned);
  }

  function needSecret(name: SecretName): SecretSource {
    const source = sources.get(name);
    if (!source) throw noCredentials(name, layers.profile?.setting.value, pinned);
    refuseForeignAddress(name, source.origin, get, own);
    return source;
  }

  async function secret(name: SecretName): Promise<string> {
    const source = needSecret(name);
    const known = pending.get(name) ?? source.read();
    pending.set(name, known);
    return await known;
  }

  const { stored } = layers.profile ?? {};
  const shared = layers.project?.settings;
  const guards = given.project?.settings;
  // A project file adds guards even to a pinned profile, but never removes any.
  const origins = originsOf(given, pinned);
  return {
    profile: layers.profile?.setting,
    pinned,
    /** `CDPADM_*` variables that have no effect because the profile is pinned. */
    ineffective: pinned ? ineffectiveIn(given.env, settings, sources) : [],
    /** Keys of the project file that have no effect because the profile is pinned. */
    ignoredKeys: pinned
      ? Object.keys(guards ?? {}).filter((key) => !['protected', 'access', 'output'].includes(key))
      : [],
    protected: 'protected' in origins,
    access: 'access' in origins ? ('read' as const) : ('write' as const),
    /** True if definition files may reference commands. Only a profile can allow this, never a project file. */
    allowCommands: 'allow_commands' in origins,
    /** Folders whose files definition files may reference. Only a profile can allow a folder. */
    allowFiles: stored?.allow_files ?? [],
    /** Request rates by area, such as `{dsr: '1000/m'}`. */
    limits: { ...stored?.limits, ...shared?.limits } as Readonly<Record<string, string>>,
    names: { ...stored?.names } as Readonly<Record<string, string>>,
    /** Source of each guard and permission, of each limit (`limits.AREA`) and of each name (`names.WORD`). */
    origins,
    all: () => [...settings],
    get,
    /** Returns the value. If it is missing, throws KnownError usage (2) that names every way to set it. */
    need,
    needInteger: (name: IdName) => BigInt(need(name)),
    secretOrigin: (name: SecretName) => sources.get(name)?.origin,
    secretOrigins: () => Array.from(sources, ([name, { origin }]) => [name, origin] as const),
    /** Throws KnownError auth (4) if the secret is missing or must not be sent. Does not read it. */
    allowSecret: (name: SecretName) => void needSecret(name),
    /** Reads the secret; the redactor then masks it, unless it is a client id. Throws auth (4) like `allowSecret`. */
    secret,
  };
}

/** Returns the variables that have no effect, except those whose value equals the value in use. */
function ineffectiveIn(
  env: Environment,
  settings: ReadonlyMap<SettingName, Setting>,
  sources: ReadonlyMap<SecretName, SecretSource>,
): string[] {
  const unused = SETTING_NAMES.filter((name) => {
    const text = env[variableOf(name)];
    const result = text ? checkSetting(name, text) : undefined;
    return result && !('value' in result && result.value === settings.get(name)?.value);
  });
  // A variable that the profile references for this secret does have an effect.
  const secrets = SECRET_NAMES.filter((name) => {
    const origin = sources.get(name)?.origin;
    const variable = variableOf(name);
    return env[variable] && origin?.kind !== 'environment' && origin?.reference !== `env:${variable}`;
  });
  return [...unused, ...secrets].map(variableOf);
}

/** Returns the sources of guards, limits and names. To a pinned profile, a project file adds only guards. */
function originsOf({ profile, project }: SettingsLayers, pinned: boolean): Record<string, Origin> {
  const origins: Record<string, Origin> = {};
  const note = (
    holder: Pick<Profile, 'protected' | 'access' | 'allow_commands' | 'allow_files' | 'limits' | 'names'>,
    origin: Origin,
  ): void => {
    if (holder.protected === true) origins['protected'] = origin;
    if (holder.access === 'read') origins['access'] = origin;
    if (holder.allow_commands === true) origins['allow_commands'] = origin;
    if (holder.allow_files) origins['allow_files'] = origin;
    for (const area of Object.keys(holder.limits ?? {})) origins[`limits.${area}`] = origin;
    for (const word of Object.keys(holder.names ?? {})) origins[`names.${word}`] = origin;
  };
  if (profile) note(profile.stored, { kind: 'profile', detail: profile.setting.value });
  const { limits, ...guards } = project?.settings ?? {};
  if (project)
    note(pinned ? guards : { ...guards, ...(limits && { limits }) }, { kind: 'project', detail: project.file });
  return origins;
}

function resolveOne(
  name: SettingName,
  layers: SettingsLayers,
  own: Partial<Record<SettingName, string | undefined>>,
): Setting | undefined {
  const { flags, env, project, profile, cwd } = layers;
  const variable = variableOf(name);
  const flag = flags[name];
  if (flag !== undefined) return checked(name, flag, { kind: 'flag', detail: flagOf(name) ?? name }, cwd);
  const given = env[variable];
  if (given) return checked(name, given, { kind: 'environment', detail: variable }, cwd);
  const shared: Partial<Record<SettingName, string>> = project?.settings ?? {};
  const common = shared[name];
  if (project && common !== undefined) return checked(name, common, { kind: 'project', detail: project.file }, cwd);
  const stored = own[name];
  if (!profile || stored === undefined) return undefined;
  return { value: stored, origin: { kind: 'profile', detail: profile.setting.value } };
}

function checked(name: SettingName, text: string, origin: Origin, folder: string): Setting {
  const result = checkSetting(name, text);
  // Do not repeat the value in the message: an address may contain a password.
  if ('problem' in result) throw usageError(`${origin.detail} ${result.problem}; it sets the ${labelOf(name)}.`);
  if (name !== 'ca_file' || isAbsolute(result.value)) return { value: result.value, origin };
  return { value: join(folder, result.value), origin };
}

/** If the profile is pinned, its own secrets take precedence, and `CDPADM_ACCESS_TOKEN` is ignored. */
function secretSources({ env, profile, secret, hide }: SettingsLayers, pinned: boolean): Map<SecretName, SecretSource> {
  const sources = new Map<SecretName, SecretSource>();
  for (const name of SECRET_NAMES) {
    if (pinned && name === 'access_token') continue;
    const plain = (value: string | undefined, kind: Origin['kind'], detail: string): SecretSource | undefined => {
      const read = (known: string): Promise<string> => {
        if (name !== 'client_id') hide(known);
        return Promise.resolve(known);
      };
      return value ? { origin: { kind, detail }, read: () => read(value) } : undefined;
    };
    const variable = variableOf(name);
    const given = plain(secretIn(env[variable]), 'environment', variable);
    const local = profile && plain(profile.local?.[name], 'profile', profile.setting.value);
    const own = local ?? (profile && name !== 'access_token' ? storedSource(name, profile, secret) : undefined);
    const source = pinned ? (own ?? given) : (given ?? own);
    if (source) sources.set(name, source);
  }
  return sources;
}

function storedSource(
  name: ProfileSecretName,
  { setting: { value: profile }, stored }: NonNullable<SettingsLayers['profile']>,
  secret: SettingsLayers['secret'],
): SecretSource | undefined {
  const written = stored.secrets?.[name];
  if (written === undefined) return undefined;
  const origin: Origin = parseReference(written)
    ? { kind: 'profile', detail: `${profile} (${written})`, reference: written }
    : { kind: 'profile', detail: profile };
  return { origin, read: () => secret(written, { profile, name }) };
}

function missing(name: SettingName, profile: string | undefined, pinned: boolean): KnownError {
  const flag = flagOf(name);
  const ways = [...(flag ? [`pass ${flag} VALUE, `] : []), ...(pinned ? [] : [`set ${variableOf(name)}, `])].join('');
  const [store, command] =
    profile === undefined
      ? ['create a profile:', 'cdpadm profile create NAME']
      : ['store it in the profile:', `cdpadm profile edit ${profile} --set ${name}=VALUE`];
  const text = `To continue, ${ways}${ways && 'or '}${store}`;
  return usageError(`The ${labelOf(name)} is missing.`, { text, command });
}

function noCredentials(name: SecretName, profile: string | undefined, pinned: boolean): KnownError {
  const where = profile === undefined ? 'no profile is selected' : `profile \`${profile}\` does not have one`;
  const variable = pinned ? undefined : variableOf(name);
  const store =
    profile === undefined
      ? { text: 'create a profile:', command: 'cdpadm profile create NAME' }
      : { text: 'store it:', command: `cdpadm auth login --profile ${profile}` };
  return fail('auth.no_credentials', {
    message: `The ${labelOf(name)} is missing: ${where}${variable ? `, and ${variable} is not set` : ''}.`,
    hint: { ...store, text: variable ? `Set ${variable}, or ${store.text}` : `To continue, ${store.text}` },
  });
}
