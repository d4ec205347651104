// Opens the user's editor on a private copy of the text, without a shell. Keeps the copy if something fails.
import { isUtf8 } from 'node:buffer';
import { spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onAbort } from '../../kernel/clock.ts';
import { writePrivateFile } from '../../kernel/durable.ts';
import { invalidInput, KnownError, usageError } from '../../kernel/errors.ts';
import { host } from '../../kernel/host.ts';
import { makeScratchFolder } from '../../kernel/temporary-file.ts';
import { splitWords } from '../../kernel/words.ts';
import { childEnvironment } from '../../config/own-references.ts';
import { cleanLine } from '../../render/clean.ts';
import type { Context, Io } from '../context.ts';
import { interrupted } from '../interrupt.ts';
import { fail } from '../../errors/fail.ts';

/** Text being edited, in its own 0700 folder. */
type EditedFile = ReturnType<typeof openEditedFile>;

const ORIGINAL = '.original';

/** Runs `work` on a private copy with the file name `name`. If it fails, keeps edited text and prints its path. */
export async function withEditedFile<T>(
  ctx: Context,
  name: string,
  work: (file: EditedFile) => Promise<T>,
): Promise<T> {
  const file = openEditedFile(ctx, name);
  try {
    return await work(file);
  } catch (error) {
    if (isUntouched(dirname(file.path))) file.discard();
    else ctx.out.warn(`Your text is kept in ${file.path}`);
    throw error;
  }
}

/** Aborting the command's signal closes an open editor. */
function openEditedFile(ctx: Context, name: string) {
  const command = editorCommand(ctx.io);
  const folder = makeScratchFolder('edit', ctx.io.env.TMPDIR || undefined, isUntouched);
  const path = join(folder, name);
  const original = join(folder, ORIGINAL);
  return {
    path,
    /** Writes `text`, opens the editor and returns the saved text. Throws KnownError if the editor fails. */
    edit: async (text: string): Promise<string> => {
      if (!existsSync(original)) writePrivateFile(original, text);
      writePrivateFile(path, text);
      await runEditor(command, path, ctx);
      // A removed file counts as empty.
      const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
      if (isUtf8(bytes)) return bytes.toString();
      throw invalidInput(`${path} is not UTF-8. Nothing was sent.`, [], 'Save the text as UTF-8.');
    },
    discard: (): void => rmSync(folder, { recursive: true, force: true }),
  };
}

/** True if the folder contains only the text that we wrote. The editor's own files may contain unsaved work. */
function isUntouched(folder: string): boolean {
  if (!existsSync(folder)) return true;
  const [name, ...others] = readdirSync(folder).filter((entry) => entry !== ORIGINAL);
  if (name === undefined) return true;
  const original = join(folder, ORIGINAL);
  if (others.length > 0 || !existsSync(original)) return false;
  return readFileSync(join(folder, name), 'utf8') === readFileSync(original, 'utf8');
}

function editorCommand(io: Io): string[] {
  const names = ['CDPADM_EDITOR', 'VISUAL', 'EDITOR'] as const;
  const chosen = names.map((name) => io.env[name]).find((value) => value !== undefined && value.trim() !== '');
  // A configured editor may be a script, but the default, vi, needs a user.
  if (chosen === undefined && !(io.tty.stdin && io.tty.stderr && !io.env.CI)) {
    throw usageError(
      'This command needs an editor, but this is not an interactive terminal.',
      'Set CDPADM_EDITOR, VISUAL or EDITOR to a command that changes the file, or run the command in a terminal.',
    );
  }
  const words = splitWords(chosen ?? 'vi');
  if (words.length === 0)
    throw usageError('The editor variable does not contain a command.', `Set one of ${names.join(', ')}.`);
  return words;
}

/** Runs the editor. Its output is not the result, so it goes to standard error unless standard output is a terminal. */
async function runEditor([program = 'vi', ...args]: string[], path: string, ctx: Context): Promise<void> {
  const { io, signal } = ctx;
  const env = await childEnvironment(ctx.io.env, ctx.paths.config, ctx.redactor);
  const stdio: StdioOptions = ['inherit', io.tty.stdout ? 'inherit' : 2, 'inherit'];
  const refuse = (reason: string): KnownError =>
    fail('editor.failed', {
      message: `The editor ${program} ${reason}.`,
      hint: 'Set CDPADM_EDITOR, VISUAL or EDITOR to another editor.',
    });
  signal.throwIfAborted();
  const takeBackInterrupt = host.leaveInterruptToChild();
  const child = spawn(program, [...args, path], { stdio, cwd: io.cwd, env });
  const ignoreAbort = onAbort(signal, () => child.kill('SIGTERM'));
  try {
    const exit = once(child, 'exit') as Promise<[code: number | null, endedBy: string | null]>;
    const [code, endedBy] = await exit.catch((error: unknown) => {
      throw refuse(`did not start: ${(error as Error).message}`);
    });
    signal.throwIfAborted();
    // A shell that runs the editor exits with 130 if Ctrl-C ends the editor.
    if (endedBy === 'SIGINT' || code === 130) throw interrupted();
    if (code !== 0) throw refuse(endedBy ? `was terminated by ${endedBy}` : `exited with code ${code}`);
  } finally {
    ignoreAbort();
    takeBackInterrupt();
  }
}

/** Marks our comment lines, which are removed before the text is checked. */
const HEADER_MARK = '#! ';

/**
 * Returns the result of `check`, or undefined if the user changed nothing or emptied the file. `check` throws
 * KnownError for invalid text. Without a terminal, or if the same text is saved twice, that error ends the edit, so
 * that no script loops forever.
 */
export async function editUntilValid<T>(
  ctx: Context,
  file: EditedFile,
  original: string,
  check: (text: string) => Promise<T>,
): Promise<T | undefined> {
  let shown = original;
  let previous: string | undefined;
  for (;;) {
    const text = (await file.edit(shown))
      .split('\n')
      .filter((line) => !line.startsWith(HEADER_MARK.trimEnd()))
      .join('\n');
    const isBlank = text.split('\n').every((line) => /^\s*(?:#|$)/.test(line));
    if (text === original || isBlank) return undefined;
    try {
      return await check(text);
    } catch (error) {
      if (!(error instanceof KnownError) || !ctx.prompt.possible || text === previous) throw error;
      previous = text;
      const lines = errorLines(error);
      // `cleanLine` keeps each error on one line.
      shown = [...[...lines, ''].map((line) => `${HEADER_MARK}${cleanLine(line)}\n`), text].join('');
      for (const line of lines) ctx.out.warn(line);
    }
  }
}

/** Returns the errors, with line numbers that account for the header shown above the text. */
function errorLines(error: KnownError): string[] {
  const issues = error.issues.length > 0 ? error.issues : [{ path: '', message: error.message }];
  const extra = issues.length + 2;
  const lines = issues.map(
    ({ line, column, path, message }) =>
      `line ${(line ?? 1) + extra}:${column ?? 1}: ${path === '' ? '' : `${path}: `}${message}`,
  );
  return ['The text is not valid yet. Fix these errors, or empty the file to cancel:', ...lines];
}
