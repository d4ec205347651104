// Parses references to secrets, and reads and writes the private `--insecure-storage` file.
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isExposed, readPrivateFile, removeFile, writePrivateFile } from '../kernel/durable.ts';
import type { KnownError } from '../kernel/errors.ts';
import { isRecord, tryJson } from '../kernel/json.ts';
import { namesIn } from '../kernel/temporary-file.ts';
import type { ProfileSecretName } from './setting-fields.ts';
import { fail } from '../errors/fail.ts';

function secretFilePath(folder: string, profile: string): string {
  return join(folder, 'secrets', `${profile}.json`);
}

/** Returns the paths of the private secrets files, except those of a profile that `isUsed` accepts. */
export function otherSecretFiles(folder: string, isUsed: (profile: string) => boolean): string[] {
  const profiles = namesIn(join(folder, 'secrets')).flatMap((name) => /^(.+)\.json$/.exec(name)?.[1] ?? []);
  return profiles.filter((profile) => !isUsed(profile)).map((profile) => secretFilePath(folder, profile));
}

export function writeSecretFile(
  folder: string,
  profile: string,
  secrets: Partial<Record<ProfileSecretName, string>>,
): void {
  writePrivateFile(secretFilePath(folder, profile), `${JSON.stringify(secrets, undefined, 2)}\n`);
}

/** Removes the file of a renamed profile. Keeps it if both names share it, because the disk ignores letter case. */
export function removeRenamedFile(folder: string, from: string, to: string): void {
  const [before, after] = [from, to].map((profile) => realpathSync.native(secretFilePath(folder, profile)));
  if (before !== after) removeSecretFile(folder, from);
}

export function removeSecretFile(folder: string, profile: string): void {
  removeFile(secretFilePath(folder, profile));
}

/** Throws KnownError auth (4) if the file is missing, broken or readable by other users, or lacks the secret. */
export function readSecretFile(folder: string, profile: string, name: ProfileSecretName): string {
  const file = secretFilePath(folder, profile);
  const text = readPrivateFile(file);
  if (text === undefined) throw unusable(`The secrets file ${file} does not exist.`);
  if (isExposed(file)) {
    throw unusable(
      `Other users can read the secrets file ${file}, so it is not used.`,
      `Make it private (chmod 600 "${file}") and rotate the secret, because others may know it.`,
    );
  }
  // Omit the parser's error, which could quote a secret.
  const value = tryJson(text);
  const secret = isRecord(value) ? value[name] : undefined;
  if (typeof secret === 'string' && secret !== '') return secret;
  throw unusable(`The secrets file ${file} does not contain ${name}.`);
}

function unusable(
  message: string,
  hint = 'Create the profile again, or set its secret to env:NAME or command:LINE.',
): KnownError {
  return fail('secrets.file', { message, hint });
}

export type SecretReference =
  | { kind: 'env'; name: string }
  | { kind: 'command'; line: string }
  | { kind: 'keychain'; entry: string }
  /** The profile's own 0600 file in the configuration folder. */
  | { kind: 'file' };

export function parseReference(text: string): SecretReference | undefined {
  if (text === 'file:') return { kind: 'file' };
  const match = /^(env|command|keychain):(.*\S.*)$/s.exec(text);
  const rest = match?.[2]?.trim();
  if (rest === undefined) return undefined;
  switch (match?.[1]) {
    case 'env':
      return /^[A-Za-z_][A-Za-z0-9_]*$/.test(rest) ? { kind: 'env', name: rest } : undefined;
    case 'command':
      return { kind: 'command', line: rest };
    default:
      return { kind: 'keychain', entry: rest };
  }
}

/** Returns the value of a variable without the line break that Kubernetes and CI often add (decision: D441). */
export function secretIn(variable: string | undefined): string | undefined {
  return variable?.replace(/\r?\n$/, '') || undefined;
}

/** True for a string that starts like a reference, so that a malformed reference is never used as the value itself. */
export function looksLikeReference(text: string): boolean {
  return /^(env|command|keychain|file):/.test(text);
}
