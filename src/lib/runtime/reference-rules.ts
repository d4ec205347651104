// Reads a definition's secrets from safe references: a repository's file must not run commands or read other files.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isOwnFile, isOwnReference, profileReferences } from '../config/own-references.ts';
import { looksLikeReference, parseReference } from '../config/secret-file.ts';
import { readReference } from '../config/secrets.ts';
import { isMask } from '../contract/masks.ts';
import { fail } from '../errors/fail.ts';
import { invalidInput, type Issue, type Hint, KnownError } from '../kernel/errors.ts';
import { isBelow, realPath } from '../kernel/temporary-file.ts';
import type { Context } from './context.ts';

export interface JudgedReference {
  reference: string;
  folder: string;
  /** True if the reference comes from the command line or a prompt, not from a file. */
  given: boolean;
  issue(message: string): Issue;
}

export type ReferenceRules = Awaited<ReturnType<typeof openReferenceRules>>;

/** Returns the reference rules for this command, based on its `--allow-commands` flag and the profile. */
export async function openReferenceRules(ctx: Context, allowCommands: boolean) {
  const settings = await ctx.settings();
  const held = await profileReferences(ctx.paths.config);
  const own = { config: realPath(ctx.paths.config), cache: realPath(ctx.paths.cache) };

  /** Returns why a reference is not followed, with the flag or setting that allows it; undefined if it is followed. */
  function refusal(source: JudgedReference): { message: string; hint: Hint } | undefined {
    if (ctx.io.inputsBelow !== undefined) {
      const hint = { text: 'Ask the user to run the command in a terminal.' };
      return { message: `${source.reference} cannot be used by an assistant`, hint };
    }
    if (source.given) return undefined;
    const path = filePath(source);
    if (path !== undefined) {
      if ([source.folder, ...settings.allowFiles].some((folder) => isBelow(path, realPath(folder)))) return undefined;
      const message = `${source.reference} is outside the folder of the file that refers to it`;
      return { message, hint: ALLOW_FILES };
    }
    if (!source.reference.startsWith('command:') || allowCommands || settings.allowCommands) return undefined;
    return { message: `${source.reference} runs a command`, hint: ALLOW_COMMANDS };
  }

  /** Throws invalid input (9) for references to this program's own secrets, which never go to a warehouse. */
  function refuseOwnSecrets(references: readonly JudgedReference[]): void {
    const issues = references.flatMap((source) => {
      const path = filePath(source);
      const isOwn = path === undefined ? isOwnReference(source.reference, held) : isOwnFile(path, own);
      const message = `${source.reference} is one of this program's secrets, and is never sent to a warehouse`;
      return isOwn ? [source.issue(message)] : [];
    });
    if (issues.length === 0) return;
    const hint = 'Refer to the secret for the warehouse, for example env:WAREHOUSE_PASSWORD.';
    throw invalidInput("A definition refers to one of this program's secrets. Nothing was sent.", issues, hint);
  }

  /** Throws guard (12) for references that are not allowed. */
  function guard(references: readonly JudgedReference[]): void {
    const refused = references.flatMap((source) => {
      const refused = refusal(source);
      return refused ? [{ ...refused, issue: source.issue(refused.message) }] : [];
    });
    if (refused.length === 0) return;
    throw fail('references.not_allowed', {
      message: `Reference not allowed: ${refused[0]?.message ?? ''}. Nothing was sent.`,
      hint: [...new Set(refused.map(({ hint }) => hint))],
      issues: refused.map(({ issue }) => issue),
    });
  }

  return {
    refuseOwnSecrets,
    guard,
    /**
     * Reads the secret at `env:NAME`, `file:PATH` (relative to the reference's folder), `keychain:NAME` or
     * `command:LINE`, and adds it to the redactor. `field` is its name in the definition, and `what` its name in
     * messages. Throws as `refuseOwnSecrets` and `guard` do, and auth (4) if the secret is unreadable, empty or a mask.
     */
    read: async (source: JudgedReference, { field, what }: { field: string; what: string }): Promise<string> => {
      refuseOwnSecrets([source]);
      guard([source]);
      // Only this secret is a document: of others, only the first line of a command's output is used.
      const value = await readSecret(ctx, source, field === 'service_account_key', what);
      if (value.trim() === '') throw missing(what, 'is empty');
      if (isMask(value)) throw missing(what, 'is only a mask (asterisks), not a secret');
      ctx.redactor.add(value);
      return value;
    },
  };
}

const ALLOW_FILES: Hint = {
  text: 'Move the file into that folder. To allow its folder:',
  command: 'cdpadm profile edit NAME --set allow_files=DIR',
};

const ALLOW_COMMANDS: Hint = {
  text: 'Pass --allow-commands. To always allow commands:',
  command: 'cdpadm profile edit NAME --set allow_commands=true',
};

const NOT_SENT =
  'No request that needs the secret was sent. Put the secret there, or change the reference in the definition.';

async function readSecret(
  { clock, io, paths, redactor, signal }: Context,
  { reference, folder }: JudgedReference,
  whole: boolean,
  what: string,
): Promise<string> {
  const path = pathIn(reference, folder);
  if (path !== undefined) return await readSecretFile(path, what);
  const parsed = looksLikeReference(reference) ? parseReference(reference) : undefined;
  if (!parsed || parsed.kind === 'file')
    throw missing(what, 'has an invalid reference: write env:NAME, file:PATH, keychain:NAME or command:LINE');
  try {
    return await readReference(parsed, {
      ...{ folder: paths.config, env: io.env, clock, redactor, signal },
      ...{ what, whole, hint: NOT_SENT },
    });
  } catch (error) {
    if (!(error instanceof KnownError) || error.code !== 'secrets.keychain') throw error;
    // The keychain error's own hint applies only to a profile's secrets.
    throw error.with({
      message: `The ${what} is in the keychain. ${error.message}`,
      hint: 'No request that needs the secret was sent. Use env:NAME, file:PATH or command:LINE in the definition.',
    });
  }
}

/** Returns the whole file without a byte order mark or its trailing newline. */
async function readSecretFile(path: string, what: string): Promise<string> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
    return text.replace(/\r?\n$/, '');
  } catch (error) {
    const why = error instanceof TypeError ? 'it is not UTF-8' : ((error as NodeJS.ErrnoException).code ?? 'error');
    throw missing(what, `is in ${path}, which cannot be read (${why})`);
  }
}

function missing(what: string, why: string): KnownError {
  return fail('secrets.missing', { message: `The ${what} ${why}.`, hint: NOT_SENT });
}

function pathIn(reference: string, folder: string): string | undefined {
  const path = /^file:\s*(\S.*)$/s.exec(reference)?.[1];
  return path === undefined ? undefined : resolve(folder, path.trim());
}

/** Like `pathIn`, but resolves symlinks. */
function filePath({ reference, folder }: JudgedReference): string | undefined {
  const path = pathIn(reference, realPath(folder));
  return path === undefined ? undefined : realPath(path);
}
