// Reads, creates, changes and deletes profiles and their stored secrets.
import { type FieldIssue, type Parsed, parseWith, showPath } from '../contract/explain.ts';
import { type KnownError, usageError } from '../kernel/errors.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { profileNotFound } from './load-settings.ts';
import { LOCAL_PROFILE, profileNameProblem } from './profile-name.ts';
import { Profile, unknownFields } from './profile-schema.ts';
import {
  otherSecretFiles,
  readSecretFile,
  removeRenamedFile,
  removeSecretFile,
  writeSecretFile,
} from './secret-file.ts';
import { createSecrets, type SecretsOptions } from './secrets.ts';
import { checkSetting, PROFILE_SECRETS, type ProfileSecretName } from './setting-fields.ts';
import { changeSettingsFile, type RawSettings, readSettingsFile } from './settings-file.ts';
import { settingsFilePath } from './paths.ts';
import { fail } from '../errors/fail.ts';

/** A new profile: `profile.secrets` contains references, and `typed` contains values to store. */
export interface ProfileDraft {
  profile: Profile;
  typed: Partial<Record<ProfileSecretName, string>>;
  storage: 'keychain' | 'file';
  /** True to make the new profile the current one. It always becomes current if no other profile is. */
  use: boolean;
}

type SecretChange = Pick<ProfileDraft, 'typed' | 'storage'> & { references: ProfileDraft['typed'] };

export type Profiles = ReturnType<typeof openProfiles>;

/** Opens the profiles of the configuration folder. Does not read or create any file until a method is called. */
export function openProfiles(options: SecretsOptions) {
  const { folder, clock, signal } = options;
  const secrets = createSecrets(options);
  const read = () => readSettingsFile(folder);
  const change = <T>(work: (raw: RawSettings, write: () => void) => Promise<T>) =>
    changeSettingsFile(folder, clock, work, signal);

  async function find(name: string): Promise<Profile> {
    const { profiles } = await read();
    const profile = profiles.get(name);
    if (!profile && name !== LOCAL_PROFILE) throw profileNotFound(name, profiles);
    return profile ?? {};
  }

  async function findOwn(name: string, verb = 'changed'): Promise<Profile> {
    if (name === LOCAL_PROFILE) throw usageError(`Profile \`${name}\` is built in; it cannot be ${verb}.`);
    return await find(name);
  }

  /** Returns the names and values of the secrets in the profile's own file, except those in `except`. */
  function filedSecrets(name: string, profile: Profile, except: readonly ProfileSecretName[] = []) {
    const filed = PROFILE_SECRETS.filter((secret) => profile.secrets?.[secret] === 'file:' && !except.includes(secret));
    return Object.fromEntries(filed.map((secret) => [secret, readSecretFile(folder, name, secret)]));
  }

  /** Replaces the profile's own file. Removes it if `filed` is empty. */
  function writeFiled(name: string, filed: Partial<Record<ProfileSecretName, string>>): void {
    if (Object.keys(filed).length > 0) writeSecretFile(folder, name, filed);
    else removeSecretFile(folder, name);
  }

  return {
    file: settingsFilePath(folder),
    /** Returns all profiles by name, except `local`. Throws KnownError invalid input (9) for a broken file. */
    read,
    /** Returns the profile, which is empty for `local`. Throws KnownError not found (5) with the closest name. */
    find,
    /** Like `find`, but throws KnownError usage (2) for `local`. */
    findOwn,
    /** Throws KnownError conflict (6) if the name already exists. Stores nothing if it fails. */
    create: async (name: string, draft: ProfileDraft): Promise<{ current: boolean }> =>
      await change(async (raw, write) => {
        refuseName(name, Object.keys(raw.profiles));
        const kept = await secrets.keep(name, draft.typed, draft.storage);
        const references = { ...draft.profile.secrets, ...kept };
        try {
          raw.profiles[name] = checked({
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
      }),
    use: async (name: string): Promise<void> =>
      await change(async (raw, write) => {
        await find(name);
        raw.current = name;
        write();
      }),
    /** Removes the secrets first: a crash leaves no unused secret. `left` lists failures. Throws not found (5). */
    remove: async (name: string): Promise<{ wasCurrent: boolean; left: string[] }> =>
      await change(async (raw, write) => {
        const profile = await findOwn(name, 'deleted');
        const wasCurrent = raw.current === name;
        if (wasCurrent) delete raw.current;
        delete raw.profiles[name];
        const written = Object.values(profile.secrets ?? {}).filter((text) => typeof text === 'string');
        const left = await secrets.discard(name, unsharedReferences(written, raw.profiles));
        writeFiled(name, {});
        write();
        return { wasCurrent, left };
      }),
    /** Replaces the profile with the result of `work`. Throws not found (5), or usage (2) if the result is invalid. */
    update: async (name: string, work: (now: Profile) => Record<string, unknown>): Promise<Profile> =>
      await change(async (raw, write) => {
        const profile = checked(work(await findOwn(name)));
        raw.profiles[name] = profile;
        write();
        return profile;
      }),
    /** Renames the profile and its private secrets file. Throws KnownError not found (5), conflict (6) or usage (2). */
    rename: async (from: string, to: string): Promise<void> =>
      await change(async (raw, write) => {
        const profile = await findOwn(from);
        refuseName(to, Object.keys(raw.profiles), from);
        const filed = filedSecrets(from, profile);
        // Write the new name before removing the old one, so that a crash in between leaves a copy and loses nothing.
        writeFiled(to, filed);
        raw.profiles = Object.fromEntries(
          Object.entries(raw.profiles).map(([name, value]) => [name === from ? to : name, value]),
        );
        if (raw.current === from) raw.current = to;
        write();
        if (Object.keys(filed).length > 0) removeRenamedFile(folder, from, to);
      }),
    /** Copies a profile and its private secrets file. Both profiles share references to secrets in other locations. */
    copy: async (from: string, to: string): Promise<void> =>
      await change(async (raw, write) => {
        const profile = await findOwn(from);
        refuseName(to, Object.keys(raw.profiles));
        writeFiled(to, filedSecrets(from, profile));
        raw.profiles[to] = structuredClone(raw.profiles[from]);
        write();
      }),
    setSecrets: async (name: string, { typed, references, storage }: SecretChange): Promise<void> =>
      await change(async (raw, write) => {
        const profile = await findOwn(name);
        const before = profile.secrets ?? {};
        const replaced = namesOf({ secrets: { ...references, ...typed } });
        const leavesFile = replaced.some((secret) => before[secret] === 'file:');
        const writesFile = storage === 'file' && Object.keys(typed).length > 0;
        const others = leavesFile || writesFile ? filedSecrets(name, profile, replaced) : {};
        const kept = await secrets.keep(name, writesFile ? { ...others, ...typed } : typed, storage);
        raw.profiles[name] = checked({ ...profile, secrets: { ...before, ...references, ...kept } });
        write();
        if (leavesFile && !writesFile) writeFiled(name, others);
        const written = replaced.flatMap((secret) => before[secret] ?? []);
        await secrets.discard(name, unsharedReferences(written, raw.profiles));
      }),
    /** Like `remove`, but keeps the profile and its client id. */
    forgetSecrets: async (name: string): Promise<{ removed: ProfileSecretName[]; left: string[] }> =>
      await change(async (raw, write) => {
        const profile = await findOwn(name);
        const removed = namesOf(profile).filter((secret) => secret !== 'client_id');
        const { secrets: before = {}, ...rest } = profile;
        const { client_id } = before;
        const filed = filedSecrets(name, profile, removed);
        raw.profiles[name] = checked({ ...rest, ...(client_id !== undefined && { secrets: { client_id } }) });
        const written = removed.flatMap((secret) => before[secret] ?? []);
        const left = await secrets.discard(name, unsharedReferences(written, raw.profiles));
        writeFiled(name, filed);
        write();
        return { removed, left };
      }),
    /** Throws KnownError usage (2) for an invalid name, or conflict (6) for an existing one. */
    checkNewName: async (name: string, from?: string): Promise<void> =>
      refuseName(name, (await read()).profiles.keys(), from),
    /** Returns a function that checks a new name and returns the problem as a sentence, or undefined. */
    newNameProblem: async () => {
      const { profiles } = await read();
      return (name: string): string | undefined => problemOfName(name, profiles.keys())?.message;
    },
    checkValue: checkSetting,
    /** Checks a profile from a file or from flags. An unknown field is an issue, unless `before` has it. */
    check: (value: unknown, before: Profile = {}): Parsed<Profile> => {
      const parsed = parseWith(Profile, value);
      const kept = unknownFields(before);
      const unknown = parsed.data ? unknownFields(parsed.data).filter((field) => !kept.includes(field)) : [];
      return unknown.length === 0 ? parsed : { data: undefined, issues: unknown.map(unknownField) };
    },
    /** Returns the secrets files that no profile refers to, which a killed command may leave behind. */
    strayFiles: async (): Promise<string[]> => {
      const { profiles } = await read();
      return otherSecretFiles(folder, (name) => Object.values(profiles.get(name)?.secrets ?? {}).includes('file:'));
    },
    /** Throws KnownError auth (4) if the storage does not work. The error's hint names the alternatives. */
    checkKeychain: secrets.checkKeychain,
  };
}

/** `from` is the profile to rename: its own name in a different letter case is not a conflict. */
function refuseName(name: string, others: Iterable<string>, from?: string): void {
  const problem = problemOfName(
    name,
    [...others].filter((other) => other !== from),
  );
  if (problem) throw problem;
}

function problemOfName(name: string, others: Iterable<string>): KnownError | undefined {
  const problem = profileNameProblem(name);
  if (problem !== undefined) return usageError(problem);
  // Names that differ only in case would share a secrets file on many file systems.
  const other = [...others].find((one) => one.toLowerCase() === name.toLowerCase());
  if (other === undefined) return undefined;
  return fail('profile.exists', {
    message: `Profile \`${other}\` already exists.`,
    hint: { text: 'Choose another name. To change the profile:', command: `cdpadm profile edit ${other}` },
  });
}

/** Checks a profile before it is written, so that the file stays readable. */
function checked(profile: Record<string, unknown>): Profile {
  const { data, issues } = parseWith(Profile, profile);
  if (data) return data;
  const problems = issues.map(({ path, message }) => `${showPath(path)} ${message}.`);
  throw usageError(`This profile cannot be stored: ${problems.join(' ')}`);
}

function unknownField(field: string): FieldIssue {
  const message = `unknown field \`${field}\`${didYouMean(field, Object.keys(Profile.shape))}`;
  return { path: field.split('.'), message, at: 'key', isUnknown: true };
}

function namesOf({ secrets }: Pick<Profile, 'secrets'>): ProfileSecretName[] {
  return PROFILE_SECRETS.filter((name) => secrets?.[name] !== undefined);
}

/** Returns the keychain references that no profile in `left` uses. Copied profiles share keychain entries. */
function unsharedReferences(written: readonly string[], left: Readonly<Record<string, unknown>>): string[] {
  const others = JSON.stringify(left);
  return written.filter((text) => text.startsWith('keychain:') && !others.includes(JSON.stringify(text)));
}
