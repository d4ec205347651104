// Changes of profiles that are there: edited, renamed, copied, their secrets stored or forgotten.
import { usageError } from '../kernel/errors.ts';
import { LOCAL_PROFILE } from './profile-name.ts';
import type { Profile } from './profile-schema.ts';
import type { ProfileSecretName, SecretStorage } from './settings.ts';
import { readSecretFile, removeSecretFile, writeSecretFile } from './secret-file.ts';
import type { Secrets } from './secrets.ts';
import type { RawSettings } from './settings-file.ts';

export type ProfileEdits = ReturnType<typeof createProfileEdits>;

export interface SecretChange {
  typed: Partial<Record<ProfileSecretName, string>>;
  references: Partial<Record<ProfileSecretName, string>>;
  storage: SecretStorage;
}

export interface EditPorts {
  folder: string;
  secrets: Secrets;
  change<T>(work: (raw: RawSettings, write: () => void) => Promise<T>): Promise<T>;
  find(name: string): Promise<Profile>;
  refuseName(name: string, others: Iterable<string>): void;
  checked(profile: Profile): Profile;
}

export function createProfileEdits({ folder, secrets, change, find, refuseName, checked }: EditPorts) {
  async function findOwn(name: string): Promise<Profile> {
    if (name === LOCAL_PROFILE) throw usageError(`Profile \`${name}\` is built in; it cannot be changed.`);
    return await find(name);
  }

  /** The secrets that are in the profile's own file, but for some, with their values. */
  function filedSecrets(
    name: string,
    profile: Profile,
    except: readonly ProfileSecretName[] = [],
  ): Partial<Record<ProfileSecretName, string>> {
    const filed = namesOf(profile).filter((secret) => isFiled(profile, secret) && !except.includes(secret));
    return Object.fromEntries(filed.map((secret) => [secret, readSecretFile(folder, name, secret)]));
  }

  return {
    /** Puts `profile` in place of what is stored. KnownError not found (5), usage (2) when it cannot be stored. */
    replace: async (name: string, profile: Profile): Promise<void> =>
      await change(async (raw, write) => {
        await findOwn(name);
        raw.profiles[name] = checked(profile);
        write();
      }),
    /** Gives the profile and its stored secrets another name. KnownError not found (5), conflict (6). */
    rename: async (from: string, to: string): Promise<void> =>
      await change(async (raw, write) => {
        const profile = await findOwn(from);
        refuseName(
          to,
          Object.keys(raw.profiles).filter((name) => name !== from),
        );
        const filed = filedSecrets(from, profile);
        // Written under the new name before the old one goes: a crash in between leaves a copy and loses nothing.
        if (Object.keys(filed).length > 0) writeSecretFile(folder, to, filed);
        raw.profiles = Object.fromEntries(
          Object.entries(raw.profiles).map(([name, value]) => [name === from ? to : name, value]),
        );
        if (raw.current === from) raw.current = to;
        write();
        if (Object.keys(filed).length > 0) removeSecretFile(folder, from);
      }),
    /** A second profile with the same settings; secrets in a private file are copied, other places are shared. */
    copy: async (from: string, to: string): Promise<void> =>
      await change(async (raw, write) => {
        const profile = await findOwn(from);
        refuseName(to, Object.keys(raw.profiles));
        const filed = filedSecrets(from, profile);
        if (Object.keys(filed).length > 0) writeSecretFile(folder, to, filed);
        raw.profiles[to] = structuredClone(raw.profiles[from]);
        write();
      }),
    /** Stores typed secrets and notes references; what was stored in their place before is removed. */
    setSecrets: async (name: string, { typed, references, storage }: SecretChange): Promise<void> =>
      await change(async (raw, write) => {
        const profile = await findOwn(name);
        const before = profile.secrets ?? {};
        const replaced = namesOf({ secrets: { ...references, ...typed } });
        const leavesFile = replaced.some((secret) => isFiled(profile, secret));
        const writesFile = storage === 'file' && Object.keys(typed).length > 0;
        const others = leavesFile || writesFile ? filedSecrets(name, profile, replaced) : {};
        const kept = await secrets.keep(name, writesFile ? { ...others, ...typed } : typed, storage);
        raw.profiles[name] = checked({ ...profile, secrets: { ...before, ...references, ...kept } });
        write();
        if (leavesFile && !writesFile) {
          if (Object.keys(others).length > 0) writeSecretFile(folder, name, others);
          else removeSecretFile(folder, name);
        }
        const inKeychain = replaced
          .flatMap((secret) => before[secret] ?? [])
          .filter((text) => text.startsWith('keychain:'));
        await secrets.discard(name, unsharedReferences(inKeychain, raw.profiles));
      }),
    /** Removes every stored secret and its reference; the client id is a name and stays. `left` names what could not be removed. */
    forgetSecrets: async (name: string): Promise<{ removed: ProfileSecretName[]; left: string[] }> =>
      await change(async (raw, write) => {
        const profile = await findOwn(name);
        const removed = namesOf(profile).filter((secret) => secret !== 'client_id');
        const { secrets: before = {}, ...rest } = profile;
        const { client_id } = before;
        const filed = filedSecrets(name, profile, removed);
        raw.profiles[name] = checked({ ...rest, ...(client_id !== undefined && { secrets: { client_id } }) });
        write();
        const written = removed.flatMap((secret) => before[secret] ?? []);
        const left = await secrets.discard(name, unsharedReferences(written, raw.profiles));
        if (Object.keys(filed).length > 0) writeSecretFile(folder, name, filed);
        return { removed, left };
      }),
  };
}

const SECRETS: readonly ProfileSecretName[] = ['client_id', 'client_secret', 'workspace_key', 'workspace_secret'];

function namesOf({ secrets }: Pick<Profile, 'secrets'>): ProfileSecretName[] {
  return SECRETS.filter((name) => secrets?.[name] !== undefined);
}

function isFiled({ secrets }: Pick<Profile, 'secrets'>, name: ProfileSecretName): boolean {
  return secrets?.[name] === 'file:';
}

/**
 * Those references whose secret belongs to nobody else: a copied profile refers to the same keychain entry. `left` are
 * the profiles that stay; a profile's own file is never shared.
 */
export function unsharedReferences(written: readonly string[], left: Readonly<Record<string, unknown>>): string[] {
  const others = JSON.stringify(left);
  return written.filter((text) => text === 'file:' || !others.includes(JSON.stringify(text)));
}
