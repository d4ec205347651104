// Puts the layers of settings together: flag > environment > project file > profile > default. Pure but for secrets.
import { dirname, isAbsolute, join } from 'node:path';
import { CliError, EXIT, usageError } from '../kernel/errors.ts';
import { refuseForeignAddress } from './address-rule.ts';
import type { Profile } from './profile-schema.ts';
import type { ProjectFile } from './project-file.ts';
import type { SecretPlace } from './secrets.ts';
import { parseReference } from './secret-reference.ts';
import { checkSetting, flagOf, labelOf, SECRET_NAMES, SETTING_NAMES, variableOf } from './setting-fields.ts';
import type { Origin, SecretName, Setting, SettingName, Settings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the embedded platform says about itself: its addresses, its ids and its secrets as they are. */
export type LocalValues = Readonly<Partial<Record<SettingName | SecretName, string>>>;

export interface SettingsLayers {
  /** Flags by the setting they give. */
  flags: Readonly<Partial<Record<SettingName, string>>>;
  env: Environment;
  /** Relative paths of flags and variables start here. */
  cwd: string;
  project: ProjectFile | undefined;
  /** The profile in use; `stored` is what the settings file says of it, `local` what the embedded platform says. */
  profile: { setting: Setting; stored: Profile; local?: LocalValues } | undefined;
  /** Has a secret that a profile refers to. */
  secret(written: string, place: SecretPlace): Promise<string>;
  /** Makes a secret of another layer known to the redactor. */
  hide(secret: string): void;
}

interface SecretSource {
  origin: Origin;
  read(): Promise<string>;
}

/** Resolves every setting. Throws CliError usage (2) for a malformed value, naming the place it comes from. */
export function resolveSettings(layers: SettingsLayers): Settings {
  const own = ownSettings(layers);
  const settings = new Map<SettingName, Setting>();
  for (const name of SETTING_NAMES) {
    const setting = resolveOne(name, layers, own);
    if (setting) settings.set(name, setting);
  }
  const base = settings.get('base_url');
  if (base && !settings.has('audience')) {
    settings.set('audience', { value: base.value, origin: { kind: 'default', detail: 'base_url' } });
  }
  const sources = secretSources(layers);
  const pending = new Map<SecretName, Promise<string>>();
  const get = (name: SettingName) => settings.get(name);

  function need(name: SettingName): string {
    const setting = settings.get(name);
    if (setting) return setting.value;
    const chosen = [...settings.values()].some(({ origin }) => origin.kind !== 'default' && origin.kind !== 'flag');
    if (!layers.profile && !chosen && sources.size === 0) throw notSetUp();
    throw missing(`No ${labelOf(name)} is given.`, name, flagOf(name), layers.profile?.setting.value);
  }

  function needSecret(name: SecretName): SecretSource {
    const source = sources.get(name);
    if (!source) throw noCredentials(name, layers.profile?.setting.value);
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
  return {
    profile: layers.profile?.setting,
    // A project file may protect; it may not take a profile's protection away.
    protected: stored?.protected === true || shared?.protected === true,
    limits: { ...stored?.limits, ...shared?.limits },
    names: { ...stored?.names, ...shared?.names },
    origins: originsOf(layers),
    all: () => [...settings],
    get,
    need,
    needInteger: (name) => BigInt(need(name)),
    secretOrigin: (name) => sources.get(name)?.origin,
    allowSecret: (name) => void needSecret(name),
    secret,
  };
}

/** Of what is no setting of its own: the project file goes before the profile, key by key, but only ever protects. */
function originsOf({ profile, project }: SettingsLayers): Record<string, Origin> {
  const origins: Record<string, Origin> = {};
  const note = (holder: Pick<Profile, 'protected' | 'limits' | 'names'>, origin: Origin): void => {
    if (holder.protected === true) origins['protected'] = origin;
    for (const area of Object.keys(holder.limits ?? {})) origins[`limits.${area}`] = origin;
    for (const word of Object.keys(holder.names ?? {})) origins[`names.${word}`] = origin;
  };
  if (profile) note(profile.stored, { kind: 'profile', detail: profile.setting.value });
  if (project) note(project.settings, { kind: 'project', detail: project.file });
  return origins;
}

/** What the profile itself says: the addresses its secrets may go to. */
function ownSettings({ profile }: SettingsLayers): Partial<Record<SettingName, string>> {
  const own: Partial<Record<SettingName, string>> = {};
  for (const name of SETTING_NAMES) {
    const value = profile?.local?.[name] ?? profile?.stored[name];
    if (value !== undefined) own[name] = value;
  }
  return own;
}

function resolveOne(
  name: SettingName,
  layers: SettingsLayers,
  own: Partial<Record<SettingName, string>>,
): Setting | undefined {
  const { flags, env, project, profile, cwd } = layers;
  const variable = variableOf(name);
  const flag = flags[name];
  if (flag !== undefined) return checked(name, flag, { kind: 'flag', detail: flagOf(name) ?? name }, cwd);
  const given = env[variable];
  if (given) return checked(name, given, { kind: 'environment', detail: variable }, cwd);
  const shared = project?.settings[name];
  if (project && shared !== undefined) {
    return checked(name, shared, { kind: 'project', detail: project.file }, dirname(project.file));
  }
  const stored = own[name];
  if (!profile || stored === undefined) return undefined;
  return { value: stored, origin: { kind: 'profile', detail: profile.setting.value } };
}

function checked(name: SettingName, text: string, origin: Origin, folder: string): Setting {
  const result = checkSetting(name, text);
  // The value is not repeated: an address may hold a password, which is what is wrong with it.
  if ('problem' in result) throw usageError(`${origin.detail} ${result.problem}: it gives the ${labelOf(name)}.`);
  if (name !== 'ca_file' || isAbsolute(result.value)) return { value: result.value, origin };
  return { value: join(folder, result.value), origin };
}

function secretSources({ env, profile, secret, hide }: SettingsLayers): Map<SecretName, SecretSource> {
  const sources = new Map<SecretName, SecretSource>();
  for (const name of SECRET_NAMES) {
    const source =
      plainSource(name, env[variableOf(name)], { kind: 'environment', detail: variableOf(name) }, hide) ??
      (profile && plainSource(name, profile.local?.[name], { kind: 'profile', detail: profile.setting.value }, hide));
    if (source) sources.set(name, source);
    if (source || !profile || name === 'access_token') continue;
    const written = profile.stored.secrets?.[name];
    if (written === undefined) continue;
    const place: SecretPlace = { profile: profile.setting.value, name };
    const where = parseReference(written) ? `${place.profile} (${written})` : place.profile;
    sources.set(name, { origin: { kind: 'profile', detail: where }, read: () => secret(written, place) });
  }
  return sources;
}

function plainSource(
  name: SecretName,
  value: string | undefined,
  origin: Origin,
  hide: (secret: string) => void,
): SecretSource | undefined {
  if (!value) return undefined;
  return {
    origin,
    read: () => {
      if (name !== 'client_id') hide(value);
      return Promise.resolve(value);
    },
  };
}

/** The first run: three lines that say what to do. */
function notSetUp(): CliError {
  return new CliError({
    code: 'setup.none',
    message: 'cdpadm does not know your platform yet: there is no profile, and no CDPADM_* variable is set.',
    hint: [
      'To connect to yours: `cdpadm profile create NAME` asks for what it needs (in CI: `cdpadm help environment`).',
      'To try everything without one: add `--profile local`, the embedded platform, or begin with `cdpadm tour`.',
    ],
    exit: EXIT.usage,
  });
}

function missing(message: string, name: SettingName, flag: string | undefined, profile: string | undefined): CliError {
  const ways = [flag === undefined ? undefined : `${flag} VALUE`, `${variableOf(name)} in the environment`];
  ways.push(
    profile === undefined
      ? `\`${name}\` in a profile (cdpadm profile create NAME)`
      : `\`${name}\` in profile \`${profile}\``,
  );
  return usageError(message, `Give ${ways.filter((way) => way !== undefined).join(', or ')}.`);
}

function noCredentials(name: SecretName, profile: string | undefined): CliError {
  const where = profile === undefined ? 'no profile is in use' : `profile \`${profile}\` has none`;
  return new CliError({
    code: 'auth.no_credentials',
    message: `No ${labelOf(name)} is known: ${where}, and ${variableOf(name)} is not set.`,
    hint: `Set ${variableOf(name)}, or create a profile: cdpadm profile create NAME.`,
    exit: EXIT.auth,
  });
}
