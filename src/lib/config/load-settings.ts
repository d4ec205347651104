// Reads what the settings are made of (profiles, project file) and resolves them for one profile.
import type { Clock } from '../kernel/clock.ts';
import { type KnownError, usageError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';
import type { Redactor } from '../kernel/redact.ts';
import type { Keychain } from './keychain.ts';
import { settingsFilePath, type SettingsPaths } from './paths.ts';
import type { Profile } from './profile-schema.ts';
import { LOCAL_PROFILE } from './profile-name.ts';
import { findProjectFile } from './find-project-file.ts';
import { type ProjectFile, readProjectFile } from './project-file.ts';
import { type LocalValues, resolveSettings } from './resolve-settings.ts';
import { createSecrets } from './secrets.ts';
import { readSettingsFile, type StoredSettings } from './settings-file.ts';
import { SETTING_NAMES, variableOf } from './setting-fields.ts';
import type { Settings } from './resolve-settings.ts';
import type { Setting, SettingName } from './setting-fields.ts';
import { fail } from '../errors/fail.ts';

export interface SettingsSources {
  flags: { profile?: string | undefined; settings: Readonly<Partial<Record<SettingName, string>>> };
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  home: string;
  paths: SettingsPaths;
  clock: Clock;
  redactor: Redactor;
  signal?: AbortSignal | undefined;
  /** A sentence about something in a file that this version does not know. */
  onWarning(text: string): void;
  /** The variables that a pinned profile makes ineffective. */
  onNote?(text: string): void;
  /** Opens the embedded platform and says what it is; asked only when its profile is the one in use. */
  local?: (() => Promise<LocalValues>) | undefined;
  /**
   * The profile by itself, named by this flag: no project file is read and no `CDPADM_` variable gives a setting or a
   * secret. For a second profile in one command, whose addresses and secrets must not mix with those of the first.
   */
  alone?: string | undefined;
  /** Default: the system's. */
  keychain?: (() => Promise<Keychain>) | undefined;
}

/**
 * The settings as every command sees them. Throws KnownError: invalid input (9) for a broken file, usage (2) for a
 * malformed value or a profile that does not exist.
 */
export async function loadSettings(sources: SettingsSources): Promise<Settings> {
  const stored = await readSettingsFile(sources.paths.config);
  const projectPath = sources.alone === undefined ? findProjectFile(sources.cwd, sources.home) : undefined;
  const project = projectPath === undefined ? undefined : await readProjectFile(projectPath);
  const setting = chooseProfile(sources, project, stored);
  const secrets = createSecrets({ ...sources, folder: sources.paths.config });
  for (const warning of stored.warnings) sources.onWarning(warning);
  const settings = resolveSettings({
    flags: sources.flags.settings,
    env: sources.alone === undefined ? sources.env : {},
    cwd: sources.cwd,
    project,
    profile: setting && {
      setting,
      stored: profileOf(setting, stored),
      ...(setting.value === LOCAL_PROFILE && sources.local && !isElsewhere(sources, project)
        ? { local: await sources.local() }
        : {}),
    },
    secret: secrets.resolve,
    hide: sources.redactor.add,
  });
  const { ineffective } = settings;
  if (ineffective.length > 0) {
    const verb = ineffective.length === 1 ? 'has' : 'have';
    sources.onNote?.(
      `Profile ${settings.profile?.value ?? ''} is pinned: ${ineffective.join(', ')} ${verb} no effect.`,
    );
  }
  return settings;
}

/**
 * Whether every address comes from the environment or the project file, as after `emulator env`: the embedded platform
 * would be started, and locked, without a request. `--profile local` always means the embedded platform.
 */
function isElsewhere({ env, flags }: SettingsSources, project: ProjectFile | undefined): boolean {
  if (flags.profile) return false;
  return ADDRESSES.every((name) => project?.settings[name] !== undefined || Boolean(env[variableOf(name)]));
}

const ADDRESSES = SETTING_NAMES.filter((name): name is AddressName => name.endsWith('_url'));
type AddressName = Extract<SettingName, `${string}_url`>;

/** `--profile`, `CDPADM_PROFILE`, the project file's `profile`, the current one; undefined when nothing names one. */
function chooseProfile(
  { flags, env, paths, alone = '--profile' }: SettingsSources,
  project: ProjectFile | undefined,
  stored: StoredSettings,
): Setting | undefined {
  if (flags.profile) return { value: flags.profile, origin: { kind: 'flag', detail: alone } };
  if (env.CDPADM_PROFILE) {
    return { value: env.CDPADM_PROFILE, origin: { kind: 'environment', detail: 'CDPADM_PROFILE' } };
  }
  if (project?.profile) return { value: project.profile, origin: { kind: 'project', detail: project.file } };
  if (stored.current === undefined) return undefined;
  return { value: stored.current, origin: { kind: 'default', detail: settingsFilePath(paths.config) } };
}

/** An unknown name in a flag is a mistyped flag (2): 5 would read as "the role is not there". */
function profileOf({ value: name, origin }: Setting, { profiles }: StoredSettings): Profile {
  const profile = profiles.get(name);
  if (profile) return profile;
  if (name === LOCAL_PROFILE) return {};
  throw usageError(`There is no profile \`${name}\` (${origin.detail}).`, proposeProfile(name, profiles));
}

/** The error of a command whose subject is a profile that does not exist: exit 5. */
export function profileNotFound(name: string, profiles: ReadonlyMap<string, Profile>): KnownError {
  return fail('profile.not_found', {
    message: `There is no profile \`${name}\`.`,
    hint: proposeProfile(name, profiles),
  });
}

function proposeProfile(name: string, profiles: ReadonlyMap<string, Profile>): string {
  const names = [...profiles.keys(), LOCAL_PROFILE];
  const guess = nearest(name, names);
  const list = `Profiles: ${names.join(', ')}.`;
  return guess === undefined ? list : `Did you mean \`${guess}\`? ${list}`;
}
