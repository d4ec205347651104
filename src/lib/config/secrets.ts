// Reads secrets by reference just before they are sent, and stores them where the user chose: in the operating system's
// keychain or in a private file. Both the keyring module and the keychain service may be missing.
import { randomBytes } from 'node:crypto';
import { type Clock, withTimeLimit } from '../kernel/clock.ts';
import { KnownError, type Hints } from '../kernel/errors.ts';
import { sizeText } from '../kernel/words.ts';
import type { Redactor } from '../kernel/redact.ts';
import { type ProfileSecretName, labelOf } from './setting-fields.ts';
import {
  looksLikeReference,
  parseReference,
  readSecretFile,
  removeSecretFile,
  secretIn,
  type SecretReference,
  writeSecretFile,
} from './secret-file.ts';
import { fail } from '../errors/fail.ts';
import { childEnvironment } from './own-references.ts';

export interface SecretsOptions {
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  redactor: Redactor;
  signal?: AbortSignal | undefined;
  keychain?: (() => Promise<Keychain>) | undefined;
}

export interface SecretOwner {
  profile: string;
  name: ProfileSecretName;
}

export function createSecrets(options: SecretsOptions) {
  const { folder, redactor } = options;
  let opening: Promise<Keychain> | undefined;
  const keychain = () => (opening ??= (options.keychain ?? openKeychain)());

  async function read(reference: SecretReference, owner: SecretOwner): Promise<string> {
    if (reference.kind === 'file') return readSecretFile(folder, owner.profile, owner.name);
    return await readReference(reference, {
      ...options,
      keychain,
      what: `${labelOf(owner.name)} of profile \`${owner.profile}\``,
      hint: {
        text: reference.kind === 'env' ? 'Set the variable, or store the secret elsewhere:' : 'To store the secret:',
        command: `cdpadm auth login --profile ${owner.profile}`,
      },
    });
  }

  async function keep(
    profile: string,
    typed: Partial<Record<ProfileSecretName, string>>,
    storage: 'keychain' | 'file',
  ): Promise<typeof typed> {
    const entries = Object.entries(typed) as [ProfileSecretName, string][];
    for (const [name, value] of entries) if (name !== 'client_id') redactor.add(value);
    if (entries.length === 0) return {};
    if (storage === 'file') {
      writeSecretFile(folder, profile, typed);
      return Object.fromEntries(entries.map(([name]) => [name, 'file:']));
    }
    const chain = await keychain();
    const kept: typeof typed = {};
    try {
      for (const [name, value] of entries) {
        // The random part distinguishes profiles with the same name in different configuration folders.
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

  /** Removes the stored secrets of these references. Returns a message for each secret that could not be removed. */
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
    /** Returns the value of a reference. Returns a plain client id unchanged. Throws KnownError auth (4). */
    resolve: async (written: string, owner: SecretOwner): Promise<string> => {
      const reference = looksLikeReference(written) ? parseReference(written) : undefined;
      const value = reference ? await read(reference, owner) : written;
      // The client id is not secret, so errors and the settings file may contain it.
      if (owner.name !== 'client_id') redactor.add(value);
      return value;
    },
    /** Throws KnownError auth (4) if the keychain cannot be used. */
    checkKeychain: async (): Promise<void> => {
      // Reading a missing entry stores nothing, and proves that the service responds.
      await (await keychain()).get('probe', options.signal);
    },
  };
}

/** Reads a secret by its reference (not `file:`). `what` names the secret in messages. Throws auth (4) with `hint`. */
export async function readReference(
  reference: Exclude<SecretReference, { kind: 'file' }>,
  { keychain = openKeychain, hint, what, ...options }: SecretsOptions & { what: string; hint: Hints; whole?: boolean },
): Promise<string> {
  const missing = (why: string): KnownError => fail('secrets.missing', { message: `The ${what} ${why}.`, hint });
  if (reference.kind === 'env') {
    const value = secretIn(options.env[reference.name]);
    if (value !== undefined) return value;
    throw missing(`comes from the environment variable ${reference.name}, which is not set`);
  }
  if (reference.kind === 'keychain') {
    const value = await (await keychain()).get(reference.entry, options.signal);
    if (value) return value;
    throw missing(`is not in the keychain (service cdpadm, entry ${reference.entry})`);
  }
  const { env, folder, redactor } = options;
  return await secretFromCommand(reference.line, {
    ...options,
    env: await childEnvironment(env, folder, redactor),
    what,
  });
}

const TIME_LIMIT_MS = 30_000;
/** Maximum output of a command, far larger than any secret. */
const MAX_OUTPUT_BYTES = 64 * 1024;

interface CommandOptions extends Pick<SecretsOptions, 'env' | 'clock' | 'signal'> {
  what: string;
  /** True if the secret is the whole output (a multi-line document), not just the first line. */
  whole?: boolean;
}

/** Runs the line in the system shell, as git runs credential helpers, and never shows its output. Throws auth (4). */
export async function secretFromCommand(line: string, options: CommandOptions): Promise<string> {
  const { status, output } = await run(line, options);
  if (status !== 'exit 0') throw commandFailed(line, options.what, ENDS[status] ?? `it failed with ${status}`);
  const secret = (options.whole ? output : (output.split(/\r?\n/, 1)[0] ?? '')).trim();
  const nothing = options.whole ? 'it printed nothing' : 'the first line of its output is empty';
  if (secret === '') throw commandFailed(line, options.what, nothing);
  return secret;
}

async function run(line: string, { env, clock, signal }: CommandOptions): Promise<{ status: string; output: string }> {
  const { spawn } = await import('node:child_process');
  signal?.throwIfAborted();
  // Even without standard input, the child can ask for a PIN on the terminal.
  const child = spawn(line, { shell: true, env, stdio: ['ignore', 'pipe', 'ignore'], windowsHide: true });
  const chunks: Buffer[] = [];
  let size = 0;
  const ended = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > MAX_OUTPUT_BYTES) resolve('too much output');
    });
    child.on('error', () => resolve('cannot start'));
    child.on('close', (code, killed) => resolve(killed ?? `exit ${code}`));
  });
  try {
    const status = await withTimeLimit(ended, TIME_LIMIT_MS, clock, () => 'time limit', signal);
    return { status, output: Buffer.concat(chunks).toString('utf8') };
  } finally {
    child.kill('SIGKILL');
    // A grandchild process may keep the pipe open, so do not wait for it to close.
    child.stdout.destroy();
  }
}

const ENDS: Readonly<Record<string, string>> = {
  'time limit': `it took longer than ${TIME_LIMIT_MS / 1000} seconds`,
  'too much output': `it printed more than ${sizeText(MAX_OUTPUT_BYTES)}`,
  'cannot start': 'it could not be started',
};

function commandFailed(line: string, what: string, why: string): KnownError {
  return fail('secrets.command', {
    message: `The command for the ${what} did not return it: ${why}.`,
    hint: { text: 'Run the command yourself to see what it prints:', command: line },
  });
}

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
      return await work(new keyring.AsyncEntry('cdpadm', entry, { linux: { store: 'secret-service' } }));
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
