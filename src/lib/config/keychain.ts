// Stores secrets in the operating system's keychain. Both the keyring module and the keychain service may be missing.
import type { KnownError } from '../kernel/errors.ts';
import { fail } from '../errors/fail.ts';

const SERVICE = 'cdpadm';

export type Keychain = Awaited<ReturnType<typeof openKeychain>>;

type KeyringModule = Pick<typeof import('@napi-rs/keyring'), 'AsyncEntry'>;

/** Throws KnownError auth (4) if the module is missing. Each method also throws it if the keychain is unusable. */
export async function openKeychain(load = (): Promise<KeyringModule> => import('@napi-rs/keyring')) {
  let keyring: KeyringModule;
  try {
    keyring = await load();
  } catch (error) {
    const isLeftOut = (error as { code?: unknown }).code === 'NOT_IN_EXECUTABLE';
    const why = isLeftOut ? 'the single executable has no access to it' : 'the keychain module is not installed';
    throw keychainMissing(why, error);
  }

  type Entry = InstanceType<KeyringModule['AsyncEntry']>;
  async function reach<T>(entry: string, work: (entry: Entry) => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      // By default, the module uses the Linux kernel's keyring, which is empty after a reboot.
      return await work(new keyring.AsyncEntry(SERVICE, entry, { linux: { store: 'secret-service' } }));
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw keychainMissing('it is unavailable or locked', error);
    }
  }

  return {
    get: async (entry: string, signal?: AbortSignal): Promise<string | undefined> =>
      (await reach(entry, (item) => item.getPassword(signal), signal)) ?? undefined,
    set: (entry: string, secret: string): Promise<void> => reach(entry, (item) => item.setPassword(secret)),
    remove: async (entry: string): Promise<void> => {
      await reach(entry, (item) => item.deletePassword());
    },
  };
}

function keychainMissing(why: string, cause: unknown): KnownError {
  return fail('secrets.keychain', {
    message: `The system keychain cannot be used: ${why}.`,
    hint:
      'Store the secret in an environment variable (--client-secret-env NAME), have a command print it ' +
      '(--client-secret-command LINE), or store it in a private file (--insecure-storage).',
    cause,
  });
}
