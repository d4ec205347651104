// Starts the platform for another program. Checks the options at run time: that program might not use TypeScript.
import { KnownError, usageError } from '../kernel/errors.ts';
import { isRecord } from '../kernel/json.ts';
import { choiceHint } from '../kernel/nearest.ts';
import type { Emulator, EmulatorIdentity, EmulatorOptions } from './base/embedding.ts';
import { isAddress, startEmulator } from './index.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string' && value !== '';
const isFlag: Check = (value) => typeof value === 'boolean';
const isId: Check = (value) => Number.isSafeInteger(value) && Number(value) > 0;

const IDENTITY: Readonly<Record<keyof EmulatorIdentity, Check>> = {
  vendorDomain: isText,
  audience: isText,
  org: isId,
  account: isId,
  workspace: isId,
  clientId: isText,
  anySecret: isFlag,
};

const isIdentity: Check = (value) =>
  isRecord(value) &&
  Object.entries(value).every(([name, item]) => item === undefined || IDENTITY[name as keyof EmulatorIdentity](item));

const OPTIONS: Readonly<Record<keyof EmulatorOptions, readonly [what: string, fits: Check]>> = {
  host: ['an address such as 127.0.0.1', isText],
  port: [
    'a whole number from 0 to 65535 (0 selects a free port)',
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
  ],
  data: ["a folder's path", isText],
  authority: ["a folder's path", isText],
  memory: ['true or false', isFlag],
  fixtures: ['a fixtures document as an object, not a file name', isRecord],
  warehouse: ["a file's path", isText],
  names: [
    'an object that maps neutral words to words on the wire',
    (value) => isRecord(value) && Object.values(value).every(isText),
  ],
  identity: ['an object such as { vendorDomain: "example.com", workspace: 42 }', isIdentity],
  publicUrl: ['an http or https URL without a query string', isAddress],
  tls: [
    'an object with `cert` and `key`, each a PEM string',
    (value) => isRecord(value) && isText(value['cert']) && isText(value['key']),
  ],
  clock: ["'real' or 'manual'", (value) => value === 'real' || value === 'manual'],
};

/** Resolves once the platform responds. After `close`, `reset` rejects. Throws usage, and what `startEmulator` does. */
export async function embed(options: EmulatorOptions = {}): Promise<Emulator> {
  checkOptions(options);
  return await startEmulator(options).catch((error: unknown) => {
    throw error instanceof KnownError ? forPrograms(error) : error;
  });
}

function checkOptions(options: unknown): asserts options is EmulatorOptions {
  if (!isRecord(options)) throw usageError('startEmulator expects its options as one object, such as { port: 0 }.');
  const known = Object.keys(OPTIONS);
  for (const [name, value] of Object.entries(options)) {
    const wanted = known.includes(name) ? OPTIONS[name as keyof EmulatorOptions] : undefined;
    if (!wanted) throw usageError(`Unknown option \`${name}\` for startEmulator.`, choiceHint(name, known));
    const keys = name === 'identity' && isRecord(value) ? Object.keys(value) : [];
    const stranger = keys.find((key) => !Object.hasOwn(IDENTITY, key));
    if (stranger !== undefined) {
      throw usageError(
        `Unknown key \`identity.${stranger}\` for startEmulator.`,
        choiceHint(stranger, Object.keys(IDENTITY)),
      );
    }
    const [what, fits] = wanted;
    // The message omits the value, which may be long.
    if (value !== undefined && !fits(value)) {
      throw usageError(`The option \`${name}\` of startEmulator must be ${what}.`);
    }
  }
  if ('memory' in options && options.memory === true && 'data' in options && options.data !== undefined) {
    throw usageError(
      'startEmulator accepts `memory` or `data`, not both: `memory` stores nothing, and `data` is the state folder.',
    );
  }
}

/** Adds the first issue to the message, because test runners print only the message. */
function forPrograms(error: KnownError): KnownError {
  const { code, hints, issues, message } = error;
  const [first] = issues;
  const where = first && [first.path, first.message].filter(Boolean).join(': ');
  return new KnownError({
    code,
    message: where === undefined ? message : `${message} First issue: ${where}`,
    issues,
    hint: hints,
    cause: error,
  });
}
