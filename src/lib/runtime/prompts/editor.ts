// The user's editor on a private copy of a text: no shell, an unpredictable name, kept when something goes wrong.
import { spawn, type StdioOptions } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '../../kernel/durable.ts';
import { usageError } from '../../kernel/errors.ts';
import { host } from '../../kernel/host.ts';
import { makeScratchFolder } from '../../kernel/scratch-folder.ts';
import { splitWords } from '../../kernel/words.ts';
import { environmentForChild } from '../child-environment.ts';
import type { Context, Io } from '../context.ts';
import { fail } from '../../errors/fail.ts';

/** A text being edited, in a 0700 folder of its own. */
export type EditedFile = ReturnType<typeof openEditedFile>;

/** Beside the text: what it was before the user came. */
const ORIGINAL = '.original';

/**
 * Makes the private copy. `name` is the file's name, with the extension the editor shall see. Aborting the
 * command's signal ends an open editor.
 */
export function openEditedFile(ctx: Context, name: string) {
  const command = editorCommand(ctx.io);
  const folder = makeScratchFolder('edit', { root: ctx.io.env.TMPDIR || undefined, isSpent: isUntouched });
  const path = join(folder, name);
  let isFirst = true;
  /** Removes the file and its folder. */
  const discard = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    path,
    /** Writes `text`, opens the editor and returns what was saved. Throws KnownError when the editor fails. */
    edit: async (text: string): Promise<string> => {
      if (isFirst) writePrivateFile(join(folder, ORIGINAL), text);
      isFirst = false;
      writePrivateFile(path, text);
      await runEditor(command, path, ctx);
      return readFileSync(path, 'utf8');
    },
    discard,
    /**
     * After a failure: where the text is kept, since it is the user's work. Undefined, and nothing is left, when they have
     * not changed it yet, or it was discarded.
     */
    keep: (): string | undefined => {
      if (!isUntouched(folder)) return path;
      discard();
      return undefined;
    },
  };
}

/** Whether a folder holds nothing but the text that we wrote; an editor's own files may hold unsaved work. */
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
  // One that was named may need nobody (a script); vi always does.
  if (chosen === undefined && !(io.tty.stdin && io.tty.stderr && !io.env.CI)) {
    throw usageError(
      'This needs an editor, and nobody can type into one here.',
      `Set CDPADM_EDITOR, VISUAL or EDITOR to a command that changes the file, or run it on a terminal.`,
    );
  }
  const words = splitWords(chosen ?? 'vi');
  if (words.length === 0) throw usageError('The editor variable holds no command.', `Set one of ${names.join(', ')}.`);
  return words;
}

/** What the editor says is no result: where standard output is none of the terminal's, it writes on standard error. */
async function runEditor([program = 'vi', ...args]: string[], path: string, ctx: Context): Promise<void> {
  const { io, signal } = ctx;
  const env = await environmentForChild(ctx);
  const stdio: StdioOptions = ['inherit', io.tty.stdout ? 'inherit' : 2, 'inherit'];
  const takeBackInterrupt = host.leaveInterruptToChild();
  await new Promise<void>((resolve, reject) => {
    signal.throwIfAborted();
    const child = spawn(program, [...args, path], { stdio, cwd: io.cwd, env });
    const stop = (): void => {
      child.kill('SIGTERM');
    };
    signal.addEventListener('abort', stop, { once: true });
    const refuse = (reason: string): void => {
      reject(
        fail('editor.failed', {
          message: `The editor ${program} ${reason}.`,
          hint: 'Choose another editor with CDPADM_EDITOR, VISUAL or EDITOR.',
        }),
      );
    };
    child.on('error', (error) => {
      refuse(`cannot be started: ${error.message}`);
    });
    child.on('exit', (code, endedBy) => {
      signal.removeEventListener('abort', stop);
      if (signal.aborted) reject(signal.reason as Error);
      else if (code === 0) resolve();
      else refuse(endedBy ? `was ended by ${endedBy}` : `ended with code ${code}`);
    });
  }).finally(takeBackInterrupt);
}
