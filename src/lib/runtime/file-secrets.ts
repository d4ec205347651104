// Reads the secrets that a definition refers to, and adds them to the redactor.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { looksLikeReference, parseReference } from '../config/secret-file.ts';
import { readReference as readSecretReference } from '../config/secrets.ts';
import { isMask } from '../contract/masks.ts';
import { fail } from '../errors/fail.ts';
import { KnownError } from '../kernel/errors.ts';
import type { Context } from './context.ts';
import { guardReferences, type JudgedReference, type ReferenceRules, refuseOwnSecrets } from './reference-rules.ts';

/** Secrets that are multi-line documents. For any other secret, only the first line of a command's output counts. */
const DOCUMENTS = new Set(['service_account_key']);

const NOT_SENT = 'Nothing was sent with it. Put the secret there, or change the reference in the definition.';

/**
 * Reads the secret in `env:NAME`, `file:PATH` (relative to the folder of the reference), `keychain:NAME` or
 * `command:LINE`. `field` is the name of the secret in the definition, and `what` its name in messages. Throws
 * KnownError auth (4) if it cannot be read, and invalid input (9) or guard (12) if `rules` forbid it.
 */
export async function readReference(
  ctx: Context,
  reference: JudgedReference,
  { rules, field, what }: { rules: ReferenceRules; field: string; what: string },
): Promise<string> {
  refuseOwnSecrets(rules, [reference]);
  guardReferences(rules, [reference]);
  const value = await read(ctx, reference.reference, reference.folder, DOCUMENTS.has(field), what);
  if (value.trim() === '') throw missing(what, 'is empty');
  if (isMask(value)) throw missing(what, 'is only a mask (asterisks), not a secret');
  ctx.redactor.add(value);
  return value;
}

async function read(ctx: Context, reference: string, folder: string, whole: boolean, what: string): Promise<string> {
  const path = /^file:\s*(\S.*)$/s.exec(reference)?.[1];
  if (path !== undefined) return await readSecret(resolve(folder, path.trim()), what);
  const parsed = looksLikeReference(reference) ? parseReference(reference) : undefined;
  if (!parsed || parsed.kind === 'file')
    throw missing(what, 'has an invalid reference: write env:NAME, file:PATH, keychain:NAME or command:LINE');
  const { clock, io, paths, redactor, signal } = ctx;
  try {
    return await readSecretReference(parsed, {
      ...{ folder: paths.config, env: io.env, clock, redactor, signal },
      ...{ what, whole, hint: NOT_SENT },
    });
  } catch (error) {
    if (!(error instanceof KnownError) || error.code !== 'secrets.keychain') throw error;
    // The hint of the keychain's own error applies only to the secrets of a profile.
    throw error.with({
      message: `The ${what} is in the keychain. ${error.message}`,
      hint: 'Nothing was sent with it. Use env:NAME, file:PATH or command:LINE in the definition.',
    });
  }
}

/** The whole file without the line ending of its last line. */
async function readSecret(path: string, what: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    throw missing(what, `is in ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
  }
}

function missing(what: string, why: string): KnownError {
  return fail('secrets.missing', { message: `The ${what} ${why}.`, hint: NOT_SENT });
}
