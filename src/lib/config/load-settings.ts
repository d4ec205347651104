// Reads the settings file and the project file, and resolves a profile's settings.
import { type KnownError, usageError } from '../kernel/errors.ts';
import { suggest } from '../kernel/nearest.ts';
import { settingsFilePath, type SettingsPaths, findProjectFile } from './paths.ts';
import type { Profile } from './profile-schema.ts';
import { LOCAL_PROFILE } from './profile-name.ts';
import { type ProjectFile, readProjectFile } from './project-file.ts';
import { type LocalValues, resolveSettings, type Settings } from './resolve-settings.ts';
import { createSecrets, type SecretsOptions } from './secrets.ts';
import { readSettingsFile, type StoredSettings } from './settings-file.ts';
import { SETTING_NAMES, variableOf, type Setting, type SettingName } from './setting-fields.ts';
import { fail } from '../errors/fail.ts';

export interface SettingsSources extends Omit<SecretsOptions, 'folder'> {
  flags: { profile?: string | undefined; settings: Readonly<Partial<Record<SettingName, string | undefined>>> };
  cwd: string;
  home: string;
  paths: SettingsPaths;
  onWarning(text: string): void;
  /** Receives a message about variables that have no effect because a profile is pinned. */
  onNote?(text: string): void;
  /** Opens the embedded platform. Called only if the profile `local` is in use. */
  local?: (() => Promise<LocalValues>) | undefined;
  /** Flag for a second profile. To keep secrets apart, environment variables and the project file do not apply. */
  alone?: string | undefined;
}

/** Throws KnownError: invalid input (9) for a broken file, usage (2) for an invalid value or an unknown profile. */
export async function loadSettings(sources: SettingsSources): Promise<Settings> {
  const stored = await readSettingsFile(sources.paths.config);
  const projectPath = sources.alone === undefined ? findProjectFile(sources.cwd, sources.home) : undefined;
  const project = projectPath === undefined ? undefined : await readProjectFile(projectPath);
  const setting = chooseProfile(sources, project, stored);
  const secrets = createSecrets({ ...sources, folder: sources.paths.config });
  for (const warning of stored.warnings) sources.onWarning(warning);
  // Without an address from the profile, as after `emulator env`, the embedded platform need not start.
  const shared: Partial<Record<SettingName, string>> = project?.settings ?? {};
  const isGiven = (name: SettingName): boolean => shared[name] !== undefined || Boolean(sources.env[variableOf(name)]);
  const isElsewhere = !sources.flags.profile && SETTING_NAMES.filter((name) => name.endsWith('_url')).every(isGiven);
  const settings = resolveSettings({
    flags: sources.flags.settings,
    env: sources.alone === undefined ? sources.env : {},
    cwd: sources.cwd,
    project,
    profile: setting && {
      setting,
      stored: profileOf(setting, stored),
      ...(setting.value === LOCAL_PROFILE && !isElsewhere && { local: await sources.local?.() }),
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

/** Returns the profile from `--profile`, `CDPADM_PROFILE` or the project file, or else the current one, if any. */
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

/** An unknown profile is a usage error (2) here, because not found (5) could suggest that a role is missing. */
function profileOf({ value: name, origin }: Setting, { profiles }: StoredSettings): Profile {
  const profile = profiles.get(name);
  if (profile) return profile;
  if (name === LOCAL_PROFILE) return {};
  throw usageError(`Unknown profile \`${name}\` (${origin.detail}).`, proposeProfile(name, profiles));
}

export function profileNotFound(name: string, profiles: ReadonlyMap<string, Profile>): KnownError {
  return fail('profile.not_found', { message: `Unknown profile \`${name}\`.`, hint: proposeProfile(name, profiles) });
}

function proposeProfile(name: string, profiles: ReadonlyMap<string, Profile>): string {
  const names = [...profiles.keys(), LOCAL_PROFILE];
  return suggest(name, names, `Profiles: ${names.join(', ')}.`);
}
