// Secrets that a definition refers to: had when they are sent, known to the redactor from then on.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { looksLikeReference, parseReference } from '../config/secret-file.ts';
import { isMask } from '../contract/masks.ts';
import { KnownError } from '../kernel/errors.ts';
import { environmentForChild } from './child-environment.ts';
import type { Context } from './context.ts';
import { guardReferences, type ReferenceSource, type ReferenceRules, refuseOwnSecrets } from './reference-rules.ts';
import { fail } from '../errors/fail.ts';

/** Secrets that are documents of many lines; of any other, a command's first line is taken, as git does. */
const DOCUMENTS = new Set(['service_account_key']);

/**
 * The value behind `env:NAME`, `file:PATH` (relative to `folder`), `keychain:NAME` or `command:LINE`. `field` is its
 * name in the definition, `what` names it in messages. Throws KnownError auth (4) when it cannot be had, invalid input (9)
 * or guard (12) where `rules` forbid it.
 */
export async function resolveFileSecret(
  ctx: Context,
  source: ReferenceSource,
  { rules, field, what }: { rules: ReferenceRules; field: string; what: string },
): Promise<string> {
  const judged = { ...source, issue: (message: string) => ({ path: what, message }) };
  refuseOwnSecrets(rules, [judged]);
  guardReferences(rules, [judged]);
  const value = await read(ctx, source.reference, source.folder, DOCUMENTS.has(field), what);
  if (value.trim() === '') throw missing(what, 'is empty');
  if (isMask(value)) throw missing(what, 'is nothing but asterisks, which is a mask and no secret');
  ctx.redactor.add(value);
  return value;
}

/** The same for a variable or a file; a command or a keychain may ask the user each time, so it is not tried. */
export async function checkFileSecret(...[ctx, source, options]: Parameters<typeof resolveFileSecret>): Promise<void> {
  if (/^(?:env|file):/.test(source.reference)) await resolveFileSecret(ctx, source, options);
}

async function read(ctx: Context, reference: string, folder: string, whole: boolean, what: string): Promise<string> {
  const path = /^file:\s*(\S.*)$/s.exec(reference)?.[1];
  if (path !== undefined) return await readSecret(resolve(folder, path.trim()), what);
  const parsed = looksLikeReference(reference) ? parseReference(reference) : undefined;
  switch (parsed?.kind) {
    case 'env': {
      const value = ctx.io.env[parsed.name];
      if (value) return value;
      throw missing(what, `is in the environment variable ${parsed.name}, which is not set`);
    }
    case 'command': {
      const { secretFromCommand } = await import('../config/secret-command.ts');
      return await secretFromCommand(parsed.line, {
        env: await environmentForChild(ctx),
        what,
        whole,
        clock: ctx.clock,
        signal: ctx.signal,
      });
    }
    case 'keychain': {
      const value = await fromKeychain(ctx, parsed.entry, what);
      if (value) return value;
      throw missing(what, `is not in the keychain (service cdpadm, entry ${parsed.entry})`);
    }
    default:
      throw missing(what, 'has a reference that is none: write env:NAME, file:PATH, keychain:NAME or command:LINE');
  }
}

async function fromKeychain(ctx: Context, entry: string, what: string): Promise<string | undefined> {
  const { openKeychain } = await import('../config/keychain.ts');
  try {
    return await (await openKeychain()).get(entry, ctx.signal);
  } catch (error) {
    if (!(error instanceof KnownError) || error.code !== 'secrets.keychain') throw error;
    // What the keychain proposes is about a profile's secrets.
    throw error.with({
      message: `The ${what} is in the keychain. ${error.message}`,
      hint: 'Nothing was sent with it. Let the definition say env:NAME, file:PATH or command:LINE instead.',
    });
  }
}

/** The whole file without its last line end: a service account's key is a document of many lines. */
async function readSecret(path: string, what: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    throw missing(what, `is in ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
  }
}

function missing(what: string, why: string): KnownError {
  return fail('secrets.missing', {
    message: `The ${what} ${why}.`,
    hint: 'Nothing was sent with it. Put the secret there, or change the reference in the definition.',
  });
}
