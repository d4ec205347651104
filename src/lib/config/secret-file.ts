// Secrets in a file of the profile's own, 0600: the choice of `--insecure-storage`, where there is no keychain.
import { join } from 'node:path';
import { isExposed, readPrivateFile, removeFile, writePrivateFile } from '../kernel/durable.ts';
import type { KnownError } from '../kernel/errors.ts';
import { parseJson } from '../kernel/json.ts';
import type { ProfileSecretName } from './settings.ts';
import { fail } from '../errors/fail.ts';

/** The file of one profile's secrets. */
function secretFilePath(folder: string, profile: string): string {
  return join(folder, 'secrets', `${profile}.json`);
}

/** Writes the secrets of a profile; what was in the file before is replaced. */
export function writeSecretFile(
  folder: string,
  profile: string,
  secrets: Partial<Record<ProfileSecretName, string>>,
): void {
  writePrivateFile(secretFilePath(folder, profile), `${JSON.stringify(secrets, undefined, 2)}\n`);
}

/** Removes a profile's file; none is no failure. */
export function removeSecretFile(folder: string, profile: string): void {
  removeFile(secretFilePath(folder, profile));
}

/** One secret. KnownError auth (4) when the file is missing, broken, lacks it, or is readable by others. */
export function readSecretFile(folder: string, profile: string, name: ProfileSecretName): string {
  const file = secretFilePath(folder, profile);
  const text = readPrivateFile(file);
  if (text === undefined) throw unusable(`The file of secrets ${file} is not there.`);
  if (isExposed(file)) {
    throw unusable(
      `The file of secrets ${file} can be read by other users; it is not used.`,
      `Make it private (chmod 600 "${file}") and consider the secret known to others: renew it.`,
    );
  }
  const secret = secretIn(text, name);
  if (secret === undefined) throw unusable(`The file of secrets ${file} holds no ${name}.`);
  return secret;
}

/** No error of the parser may be passed on: it could quote the text. */
function secretIn(text: string, name: ProfileSecretName): string | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  const secret = (value as Record<string, unknown>)[name];
  return typeof secret === 'string' && secret !== '' ? secret : undefined;
}

function unusable(
  message: string,
  hint = 'Create the profile anew, or point its secret at env:NAME or command:LINE.',
): KnownError {
  return fail('secrets.file', { message, hint });
}
