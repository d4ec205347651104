// The door to profiles: reading, creating, choosing and deleting them, and the places their secrets are kept in.
import type { Profile } from './profile-schema.ts';
import type { SettingName } from './settings.ts';

/** Where a secret that was typed or piped in is kept. */
export type SecretStorage = 'keychain' | 'file';

/** The secrets of a profile: references, but for the two ids, which may stand there themselves. */
export type ProfileSecretName = 'client_id' | 'client_secret' | 'workspace_key' | 'workspace_secret';

/** A profile as it is created: `profile.secrets` holds references; `typed` holds values that are to be stored. */
export interface ProfileDraft {
  profile: Profile;
  typed: Partial<Record<ProfileSecretName, string>>;
  storage: SecretStorage;
  /** Makes it the current profile; the first profile always becomes it. */
  use: boolean;
}

export interface Profiles {
  /** The settings file. */
  readonly file: string;
  /** All profiles by name, without the built-in `local`. Throws CliError invalid input (9) for a broken file. */
  read(): Promise<{ current: string | undefined; profiles: ReadonlyMap<string, Profile>; warnings: string[] }>;
  /** The profile; `local` is an empty one. CliError not found (5), with the nearest name, when there is none. */
  find(name: string): Promise<Profile>;
  /** CliError conflict (6) when the name is taken. Nothing is stored when anything fails. */
  create(name: string, draft: ProfileDraft): Promise<{ current: boolean }>;
  /** Makes it the current one. CliError not found (5). */
  use(name: string): Promise<void>;
  /** Removes the profile, then its stored secrets. `left` names what could not be removed. CliError not found (5). */
  remove(name: string): Promise<{ wasCurrent: boolean; left: string[] }>;
  /** What is wrong with a name for a new profile, as a sentence. */
  nameProblem(name: string): string | undefined;
  /** The value in the spelling that is stored, or what is wrong with it, as a sentence. */
  checkValue(name: SettingName, text: string): { value: string } | { problem: string };
  /** CliError auth (4), with the ways out, when secrets cannot be stored there. */
  checkStorage(storage: SecretStorage): Promise<void>;
}
