// Secrets by reference: had at the last moment, known to the redactor from then on, kept where the user chose.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { KnownError } from '../kernel/errors.ts';
import type { Redactor } from '../kernel/redact.ts';
import { type Keychain, openKeychain } from './keychain.ts';
import type { ProfileSecretName } from './setting-fields.ts';
import {
  looksLikeReference,
  parseReference,
  readSecretFile,
  removeSecretFile,
  type SecretReference,
  writeSecretFile,
} from './secret-file.ts';
import { labelOf } from './setting-fields.ts';
import { fail } from '../errors/fail.ts';

export interface SecretsOptions {
  /** The configuration folder. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  redactor: Redactor;
  signal?: AbortSignal | undefined;
  /** Default: the system's. */
  keychain?: (() => Promise<Keychain>) | undefined;
}

/** Which secret of which profile. */
export interface SecretOwner {
  profile: string;
  name: ProfileSecretName;
}

export type Secrets = ReturnType<typeof createSecrets>;

export function createSecrets(options: SecretsOptions) {
  const { folder, redactor } = options;
  let opening: Promise<Keychain> | undefined;
  const keychain = () => (opening ??= (options.keychain ?? openKeychain)());

  async function read(reference: SecretReference, owner: SecretOwner): Promise<string> {
    const what = `${labelOf(owner.name)} of profile \`${owner.profile}\``;
    switch (reference.kind) {
      case 'env': {
        const value = options.env[reference.name];
        if (value) return value;
        throw secretMissing(`The ${what} is in the environment variable ${reference.name}, which is not set.`, owner);
      }
      case 'command': {
        const [{ secretFromCommand }, { childEnvironment }] = await Promise.all([
          import('./secret-command.ts'),
          import('./child-environment.ts'),
        ]);
        return await secretFromCommand(reference.line, { ...options, env: await childEnvironment(options), what });
      }
      case 'file':
        return readSecretFile(folder, owner.profile, owner.name);
      case 'keychain': {
        const value = await (await keychain()).get(reference.entry, options.signal);
        if (value) return value;
        throw secretMissing(`The ${what} is not in the keychain (service cdpadm, entry ${reference.entry}).`, owner);
      }
    }
  }

  /** Keeps typed values; returns what the profile is to say instead. */
  async function keep(
    profile: string,
    typed: Partial<Record<ProfileSecretName, string>>,
    storage: 'keychain' | 'file',
  ): Promise<Partial<Record<ProfileSecretName, string>>> {
    const entries = Object.entries(typed) as [ProfileSecretName, string][];
    for (const [name, value] of entries) if (name !== 'client_id') redactor.add(value);
    if (entries.length === 0) return {};
    if (storage === 'file') {
      writeSecretFile(folder, profile, typed);
      return Object.fromEntries(entries.map(([name]) => [name, 'file:']));
    }
    const chain = await keychain();
    const kept: Partial<Record<ProfileSecretName, string>> = {};
    try {
      for (const [name, value] of entries) {
        // The random part keeps profiles of equal name in different configuration folders apart.
        const entry = `${profile}/${name}/${randomBytes(6).toString('hex')}`;
        await chain.set(entry, value);
        kept[name] = `keychain:${entry}`;
      }
    } catch (error) {
      await discard(profile, Object.values(kept));
      throw error;
    }
    return kept;
  }

  /** Removes what is kept behind these references of a profile; returns a sentence for each that could not be. */
  async function discard(profile: string, written: readonly string[]): Promise<string[]> {
    const left: string[] = [];
    for (const text of written) {
      const reference = parseReference(text);
      if (reference?.kind === 'file') removeSecretFile(folder, profile);
      if (reference?.kind !== 'keychain') continue;
      try {
        await (await keychain()).remove(reference.entry);
      } catch (error) {
        if (!(error instanceof KnownError)) throw error;
        left.push(`The keychain entry ${reference.entry} (service cdpadm) could not be removed: ${error.message}`);
      }
    }
    return left;
  }

  return {
    keep,
    discard,
    /** The value behind what a profile says; an id that stands there itself is that id. KnownError auth (4). */
    resolve: async (written: string, owner: SecretOwner): Promise<string> => {
      const reference = looksLikeReference(written) ? parseReference(written) : undefined;
      const value = reference ? await read(reference, owner) : written;
      // The client id is an id: it may be read in an error, and stands in the settings file itself.
      if (owner.name !== 'client_id') redactor.add(value);
      return value;
    },
    /** Throws KnownError auth (4) when nothing can be kept there. */
    check: async (storage: 'keychain' | 'file'): Promise<void> => {
      // Reading an entry that cannot be there tells whether the service answers, without leaving anything behind.
      if (storage === 'keychain') await (await keychain()).get('probe', options.signal);
    },
  };
}

function secretMissing(message: string, { profile }: SecretOwner): KnownError {
  return fail('secrets.missing', {
    message,
    hint: { text: 'Put it there. To store it elsewhere:', command: `cdpadm auth login --profile ${profile}` },
  });
}
