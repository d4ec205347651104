// Starts the platform for another program, which may have been written without types: what it says is checked at once.
import { KnownError, usageError } from '../kernel/errors.ts';
import { choiceHint } from '../kernel/nearest.ts';
import type { Emulator, EmulatorIdentity, EmulatorOptions } from './base/embedding.ts';
import { isAddress, startEmulator } from './index.ts';

interface Wanted {
  what: string;
  fits(value: unknown): boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const CLOCKS: readonly unknown[] = ['real', 'manual'];
const FOLDER: Wanted = { what: "a folder's path", fits: isText };

const IDENTITY: Readonly<Record<keyof EmulatorIdentity, (value: unknown) => boolean>> = {
  vendorDomain: isText,
  audience: isText,
  org: isId,
  account: isId,
  workspace: isId,
  clientId: isText,
  anySecret: (value) => typeof value === 'boolean',
};

function isId(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function isIdentity(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(
    ([name, item]) =>
      Object.hasOwn(IDENTITY, name) && (item === undefined || IDENTITY[name as keyof EmulatorIdentity](item)),
  );
}

const OPTIONS: Readonly<Record<keyof EmulatorOptions, Wanted>> = {
  host: { what: 'an address such as 127.0.0.1', fits: isText },
  port: {
    what: 'a whole number from 0, for a free one, to 65535',
    fits: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535,
  },
  data: FOLDER,
  authority: FOLDER,
  memory: { what: 'true or false', fits: (value) => typeof value === 'boolean' },
  fixtures: { what: 'a fixtures document as an object, not the name of its file', fits: isObject },
  warehouse: { what: "a file's path", fits: isText },
  names: {
    what: 'an object of neutral words, each with the word on the wire',
    fits: (value) => isObject(value) && Object.values(value).every(isText),
  },
  identity: { what: 'an object such as { vendorDomain: "example.com", workspace: 42 }', fits: isIdentity },
  publicUrl: { what: 'an http or https address without a query', fits: isAddress },
  tls: {
    what: 'an object with `cert` and `key`, each a PEM text',
    fits: (value) => isObject(value) && 'cert' in value && 'key' in value && isText(value.cert) && isText(value.key),
  },
  clock: { what: "'real' or 'manual'", fits: (value) => CLOCKS.includes(value) },
};

/**
 * Starts the platform and resolves once it answers; `reset` of a closed one rejects, a second `close` does nothing.
 * Throws KnownError: usage for an option that there is not or that has another value than it takes, else what
 * `startEmulator` throws.
 */
export async function embed(options: EmulatorOptions = {}): Promise<Emulator> {
  checkOptions(options);
  const emulator = await startEmulator(options).catch((error: unknown) => {
    throw error instanceof KnownError ? inWordsOfALibrary(error) : error;
  });
  let isClosed = false;
  return {
    ...emulator,
    reset: async () => {
      if (isClosed) throw closed();
      await emulator.reset();
    },
    close: async () => {
      isClosed = true;
      await emulator.close();
    },
  };
}

function checkOptions(options: unknown): asserts options is EmulatorOptions {
  if (!isObject(options)) throw usageError('startEmulator takes its options as one object, such as { port: 0 }.');
  const known = Object.keys(OPTIONS);
  for (const [name, value] of Object.entries(options)) {
    const wanted = known.includes(name) ? OPTIONS[name as keyof EmulatorOptions] : undefined;
    if (!wanted) throw usageError(`startEmulator has no option \`${name}\`.`, choiceHint(name, known));
    // The value itself may be anything, and long.
    if (value !== undefined && !wanted.fits(value)) {
      throw usageError(`The option \`${name}\` of startEmulator takes ${wanted.what}.`);
    }
  }
  if ('memory' in options && options.memory === true && 'data' in options && options.data !== undefined) {
    throw usageError('startEmulator takes `memory` or `data`, not both: one keeps nothing, the other keeps it there.');
  }
}

/** Test runners print the message alone, so that the first issue belongs there. */
function inWordsOfALibrary(error: KnownError): KnownError {
  const { code, hints, issues, message } = error;
  const [first] = issues;
  const where = first && [first.path, first.message].filter(Boolean).join(': ');
  return new KnownError({
    code,
    message: where === undefined ? message : `${message} The first: ${where}`,
    issues,
    hint: hints,
    cause: error,
  });
}

function closed(): KnownError {
  return new KnownError({
    code: 'emulator.none',
    message: 'This embedded platform was closed.',
    hint: 'Start another one with startEmulator.',
  });
}
