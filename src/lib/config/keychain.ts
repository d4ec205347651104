// Secrets in the operating system's keychain, through a module that is optional and a service that may be missing.
import type { KnownError } from '../kernel/errors.ts';
import { fail } from '../errors/fail.ts';

/** The name our entries stand under in the keychain. */
const SERVICE = 'cdpadm';

export type Keychain = Awaited<ReturnType<typeof openKeychain>>;

type KeyringModule = Pick<typeof import('@napi-rs/keyring'), 'AsyncEntry'>;

/**
 * Opens the keychain. `load` is the optional module. Every method, and the opening itself, throws KnownError auth (4)
 * with the ways out when the module or the service behind it is missing.
 */
export async function openKeychain(load: () => Promise<KeyringModule> = loadKeyring) {
  let keyring: KeyringModule;
  try {
    keyring = await load();
  } catch (error) {
    throw keychainMissing('its module is not installed for this system', error);
  }

  type Entry = InstanceType<KeyringModule['AsyncEntry']>;
  async function reach<T>(entry: string, work: (entry: Entry) => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      // Without the named store Linux falls back to the kernel's keyring, which forgets everything at a restart.
      return await work(new keyring.AsyncEntry(SERVICE, entry, { linux: { store: 'secret-service' } }));
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw keychainMissing('it cannot be reached or is locked', error);
    }
  }

  return {
    /** The secret, or undefined when there is no such entry. */
    get: async (entry: string, signal?: AbortSignal): Promise<string | undefined> =>
      (await reach(entry, (item) => item.getPassword(signal), signal)) ?? undefined,
    set: (entry: string, secret: string): Promise<void> => reach(entry, (item) => item.setPassword(secret)),
    /** An entry that is not there is no failure. */
    remove: async (entry: string): Promise<void> => {
      await reach(entry, (item) => item.deletePassword());
    },
  };
}

function loadKeyring(): Promise<KeyringModule> {
  return import('@napi-rs/keyring');
}

function keychainMissing(why: string, cause: unknown): KnownError {
  return fail('secrets.keychain', {
    message: `The keychain of this system cannot be used: ${why}.`,
    hint:
      'Keep the secret in an environment variable (--client-secret-env NAME) or behind a command ' +
      '(--client-secret-command LINE), or accept a private file with --insecure-storage.',
    cause,
  });
}
