// Decides which references in a definition are followed: a repository's file must not run commands or read other files.
import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { isOwnFile, isOwnReference, profileReferences } from '../config/own-references.ts';
import { invalidInput, type Issue, type Hint } from '../kernel/errors.ts';
import type { Context } from './context.ts';
import { fail } from '../errors/fail.ts';

/** A reference, and the folder that its path is relative to. */
export interface JudgedReference {
  reference: string;
  folder: string;
  /** True if the reference comes from the command line or a prompt, not from a file. */
  given: boolean;
  issue(message: string): Issue;
}

export type ReferenceRules = Awaited<ReturnType<typeof openReferenceRules>>;

/** The rules for this command, which depend on its flag `--allow-commands` and on the profile. */
export async function openReferenceRules(ctx: Context, allowCommands: boolean) {
  const settings = await ctx.settings();
  const held = await profileReferences(ctx.paths.config);
  const own = { config: realPath(ctx.paths.config), cache: realPath(ctx.paths.cache) };
  return {
    /** A reason if the reference leads to a secret of this program, which is never allowed. */
    ownSecret: (source: JudgedReference): string | undefined => {
      const path = filePath(source);
      const isOwn = path === undefined ? isOwnReference(source.reference, held) : isOwnFile(path, own);
      return isOwn ? `${source.reference} is a secret of this program, and is never sent to a warehouse` : undefined;
    },
    /** A reason if the reference is not followed, with the flag or setting that allows it. */
    refusal: (source: JudgedReference): { message: string; hint: Hint } | undefined => {
      if (ctx.io.inputsBelow !== undefined) {
        return { message: `${source.reference} is not followed for an assistant`, hint: IN_A_TERMINAL };
      }
      if (source.given) return undefined;
      const path = filePath(source);
      if (path !== undefined) {
        if ([source.folder, ...settings.allowFiles].some((folder) => isBelow(path, realPath(folder)))) return undefined;
        return {
          message: `${source.reference} is outside the folder of the file that refers to it`,
          hint: ALLOW_FILES,
        };
      }
      if (!source.reference.startsWith('command:') || allowCommands || settings.allowCommands) return undefined;
      return { message: `${source.reference} runs a command`, hint: ALLOW_COMMANDS };
    },
  };
}

const IN_A_TERMINAL: Hint = { text: 'A person can run this command in a terminal.' };

const ALLOW_FILES: Hint = {
  text: 'Move the file below that folder. To allow its folder:',
  command: 'cdpadm profile edit NAME --set allow_files=DIR',
};

const ALLOW_COMMANDS: Hint = {
  text: 'Pass --allow-commands. To allow all commands:',
  command: 'cdpadm profile edit NAME --set allow_commands=true',
};

/** Throws invalid input (9) for references to secrets of this program. */
export function refuseOwnSecrets(rules: ReferenceRules, references: readonly JudgedReference[]): void {
  const issues = references.flatMap((it) => {
    const message = rules.ownSecret(it);
    return message === undefined ? [] : [it.issue(message)];
  });
  if (issues.length === 0) return;
  const hint = 'Refer to the secret of the warehouse, for example env:WAREHOUSE_PASSWORD.';
  throw invalidInput('A definition refers to a secret of this program. Nothing was sent.', issues, hint);
}

/** Throws guard (12) for references that need permission. */
export function guardReferences(rules: ReferenceRules, references: readonly JudgedReference[]): void {
  const refused = references.flatMap((it) => {
    const refusal = rules.refusal(it);
    return refusal ? [{ ...refusal, issue: it.issue(refusal.message) }] : [];
  });
  if (refused.length === 0) return;
  throw fail('references.not_allowed', {
    message: `Reference not allowed: ${refused[0]?.message ?? ''}. Nothing was sent.`,
    hint: [...new Set(refused.map(({ hint }) => hint))],
    issues: refused.map(({ issue }) => issue),
  });
}

/** The file of a `file:` reference, with symlinks resolved. Undefined for other references. */
function filePath({ reference, folder }: JudgedReference): string | undefined {
  const path = /^file:\s*(\S.*)$/s.exec(reference)?.[1];
  return path === undefined ? undefined : realPath(resolve(realPath(folder), path.trim()));
}

/** The path with symlinks resolved, or the path as written if it does not exist. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
