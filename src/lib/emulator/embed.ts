// Starts the platform for another program. It checks the options, because the program may not use TypeScript.
import { KnownError, usageError } from '../kernel/errors.ts';
import { isRecord } from '../kernel/json.ts';
import { choiceHint } from '../kernel/nearest.ts';
import type { Emulator, EmulatorIdentity, EmulatorOptions } from './base/embedding.ts';
import { isAddress, startEmulator } from './index.ts';

interface Wanted {
  what: string;
  fits(value: unknown): boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isId = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;
const FOLDER: Wanted = { what: "a folder's path", fits: isText };

const IDENTITY: Readonly<Record<keyof EmulatorIdentity, (value: unknown) => boolean>> = {
  vendorDomain: isText,
  audience: isText,
  org: isId,
  account: isId,
  workspace: isId,
  clientId: isText,
  anySecret: isFlag,
};

const OPTIONS: Readonly<Record<keyof EmulatorOptions, Wanted>> = {
  host: { what: 'an address such as 127.0.0.1', fits: isText },
  port: {
    what: 'a whole number from 0, for a free one, to 65535',
    fits: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535,
  },
  data: FOLDER,
  authority: FOLDER,
  memory: { what: 'true or false', fits: isFlag },
  fixtures: { what: 'a fixtures document as an object, not the name of its file', fits: isRecord },
  warehouse: { what: "a file's path", fits: isText },
  names: {
    what: 'an object of neutral words, each with the word on the wire',
    fits: (value) => isRecord(value) && Object.values(value).every(isText),
  },
  identity: { what: 'an object such as { vendorDomain: "example.com", workspace: 42 }', fits: isIdentity },
  publicUrl: { what: 'an http or https address without a query', fits: isAddress },
  tls: {
    what: 'an object with `cert` and `key`, each a PEM text',
    fits: (value) => isRecord(value) && 'cert' in value && 'key' in value && isText(value.cert) && isText(value.key),
  },
  clock: { what: "'real' or 'manual'", fits: (value) => value === 'real' || value === 'manual' },
};

function isIdentity(value: unknown): boolean {
  const fits = (name: string, item: unknown): boolean =>
    Object.hasOwn(IDENTITY, name) && (item === undefined || IDENTITY[name as keyof EmulatorIdentity](item));
  return isRecord(value) && Object.entries(value).every(([name, item]) => fits(name, item));
}

/**
 * Starts the platform and resolves once it answers. After `close`, `reset` rejects. Throws KnownError: usage for an unknown
 * option or an invalid value, otherwise like `startEmulator`.
 */
export async function embed(options: EmulatorOptions = {}): Promise<Emulator> {
  checkOptions(options);
  const emulator = await startEmulator(options).catch((error: unknown) => {
    throw error instanceof KnownError ? forPrograms(error) : error;
  });
  let isClosed = false;
  return {
    ...emulator,
    reset: async () => {
      if (isClosed) {
        throw new KnownError({
          code: 'emulator.none',
          message: 'This embedded platform was closed.',
          hint: 'Start another one with startEmulator.',
        });
      }
      await emulator.reset();
    },
    close: async () => {
      isClosed = true;
      await emulator.close();
    },
  };
}

function checkOptions(options: unknown): asserts options is EmulatorOptions {
  if (!isRecord(options)) throw usageError('startEmulator takes its options as one object, such as { port: 0 }.');
  const known = Object.keys(OPTIONS);
  for (const [name, value] of Object.entries(options)) {
    const wanted = known.includes(name) ? OPTIONS[name as keyof EmulatorOptions] : undefined;
    if (!wanted) throw usageError(`startEmulator has no option \`${name}\`.`, choiceHint(name, known));
    // Omits the value, which may be long.
    if (value !== undefined && !wanted.fits(value)) {
      throw usageError(`The option \`${name}\` of startEmulator takes ${wanted.what}.`);
    }
  }
  if ('memory' in options && options.memory === true && 'data' in options && options.data !== undefined) {
    throw usageError('startEmulator takes `memory` or `data`, not both: one keeps nothing, the other keeps it there.');
  }
}

/** Adds the first issue to the message, because test runners print nothing else. */
function forPrograms(error: KnownError): KnownError {
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
