// The door to profiles: reading, creating, choosing and deleting them, and the places their secrets are kept in.
import { explainIssues, showPath } from '../contract/explain.ts';
import { type KnownError, usageError } from '../kernel/errors.ts';
import { createProfileEdits, type ProfileEdits, unsharedReferences } from './profile-edits.ts';
import { profileNotFound } from './load-settings.ts';
import { LOCAL_PROFILE, profileNameProblem } from './profile-name.ts';
import { Profile } from './profile-schema.ts';
import { createSecrets, type SecretsOptions } from './secrets.ts';
import { checkSetting } from './setting-fields.ts';
import { changeSettingsFile, type RawSettings, readSettingsFile } from './settings-file.ts';
import { settingsFilePath } from './paths.ts';
import type { ProfileSecretName, SecretStorage, SettingName } from './settings.ts';
import { fail } from '../errors/fail.ts';

/** A profile as it is created: `profile.secrets` holds references; `typed` holds values that are to be stored. */
export interface ProfileDraft {
  profile: Profile;
  typed: Partial<Record<ProfileSecretName, string>>;
  storage: SecretStorage;
  /** Makes it the current profile; the first profile always becomes it. */
  use: boolean;
}

export interface Profiles extends ProfileEdits {
  /** The settings file. */
  readonly file: string;
  /** All profiles by name, without the built-in `local`. Throws KnownError invalid input (9) for a broken file. */
  read(): Promise<{ current: string | undefined; profiles: ReadonlyMap<string, Profile>; warnings: string[] }>;
  /** The profile; `local` is an empty one. KnownError not found (5), with the nearest name, when there is none. */
  find(name: string): Promise<Profile>;
  /** KnownError conflict (6) when the name is taken. Nothing is stored when anything fails. */
  create(name: string, draft: ProfileDraft): Promise<{ current: boolean }>;
  /** Makes it the current one. KnownError not found (5). */
  use(name: string): Promise<void>;
  /** Removes the profile, then its stored secrets. `left` names what could not be removed. KnownError not found (5). */
  remove(name: string): Promise<{ wasCurrent: boolean; left: string[] }>;
  /** KnownError usage (2) for a name that no profile may have, conflict (6) for one that is taken. */
  checkNewName(name: string): Promise<void>;
  /** The same for one name after another among the profiles there are now: a sentence, or undefined when it is right. */
  newNameProblem(): Promise<(name: string) => string | undefined>;
  /** The value in the spelling that is stored, or what is wrong with it, as a sentence. */
  checkValue(name: SettingName, text: string): { value: string } | { problem: string };
  /** KnownError auth (4), with the ways out, when secrets cannot be stored there. */
  checkStorage(storage: SecretStorage): Promise<void>;
}

/** Opens the profiles of the configuration folder; nothing is read or made before a method is called. */
export function openProfiles(options: SecretsOptions): Profiles {
  const { folder, clock, signal } = options;
  const secrets = createSecrets(options);
  const change = <T>(work: (raw: RawSettings, write: () => void) => Promise<T>) =>
    changeSettingsFile(folder, clock, work, signal);

  async function find(name: string): Promise<Profile> {
    const { profiles } = await readSettingsFile(folder);
    const profile = profiles.get(name);
    if (!profile && name !== LOCAL_PROFILE) throw profileNotFound(name, profiles);
    return profile ?? {};
  }

  async function create(name: string, draft: ProfileDraft): Promise<{ current: boolean }> {
    return await change(async (raw, write) => {
      refuseName(name, Object.keys(raw.profiles));
      const kept = await secrets.keep(name, draft.typed, draft.storage);
      const references = { ...draft.profile.secrets, ...kept };
      try {
        raw.profiles[name] = checkedProfile({
          ...draft.profile,
          ...(Object.keys(references).length > 0 && { secrets: references }),
        });
        if (draft.use || raw.current === undefined) raw.current = name;
        write();
      } catch (error) {
        await secrets.discard(name, Object.values(kept));
        throw error;
      }
      return { current: raw.current === name };
    });
  }

  async function use(name: string): Promise<void> {
    await change(async (raw, write) => {
      await find(name);
      raw.current = name;
      write();
    });
  }

  async function remove(name: string): Promise<{ wasCurrent: boolean; left: string[] }> {
    if (name === LOCAL_PROFILE) throw usageError(`Profile \`${name}\` is built in; it cannot be deleted.`);
    return await change(async (raw, write) => {
      const profile = await find(name);
      const wasCurrent = raw.current === name;
      if (wasCurrent) delete raw.current;
      delete raw.profiles[name];
      write();
      const written = Object.values(profile.secrets ?? {}).filter((text) => typeof text === 'string');
      return { wasCurrent, left: await secrets.discard(name, unsharedReferences(written, raw.profiles)) };
    });
  }

  return {
    ...createProfileEdits({ folder, secrets, change, find, refuseName, checked: checkedProfile }),
    file: settingsFilePath(folder),
    read: () => readSettingsFile(folder),
    find,
    create,
    use,
    remove,
    checkNewName: async (name) => {
      const { profiles } = await readSettingsFile(folder);
      refuseName(name, profiles.keys());
    },
    newNameProblem: async () => {
      const { profiles } = await readSettingsFile(folder);
      return (name) => problemOfName(name, profiles.keys())?.message;
    },
    checkValue: checkSetting,
    checkStorage: secrets.check,
  };
}

function refuseName(name: string, others: Iterable<string>): void {
  const problem = problemOfName(name, others);
  if (problem) throw problem;
}

function problemOfName(name: string, others: Iterable<string>): KnownError | undefined {
  const problem = profileNameProblem(name);
  if (problem !== undefined) return usageError(problem);
  // Two names that differ in case only would share a file of secrets on many file systems.
  const other = [...others].find((one) => one.toLowerCase() === name.toLowerCase());
  if (other === undefined) return undefined;
  return fail('profile.exists', {
    message: `There is a profile \`${other}\` already.`,
    hint: { text: 'Choose another name. To change the profile:', command: `cdpadm profile edit ${other}` },
  });
}

/** Nothing may be written that could not be read again. */
function checkedProfile(profile: Profile): Profile {
  const result = Profile.safeParse(profile);
  if (result.success) return result.data;
  const problems = explainIssues(result.error.issues, profile).map(
    ({ path, message }) => `${showPath(path)} ${message}.`,
  );
  throw usageError(`This profile cannot be stored: ${problems.join(' ')}`);
}
