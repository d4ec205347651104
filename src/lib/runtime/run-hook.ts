// Runs a command of the user's for an event: without a shell, data by environment and standard input, none of our secrets.
import { spawn } from 'node:child_process';
import { usageError } from '../kernel/errors.ts';
import { splitWords } from '../kernel/split-words.ts';
import type { Context } from './context.ts';

/** Words of a command line; quotes group, nothing is expanded. Throws usage (2) for an empty one. */
export function hookWords(line: string): string[] {
  const words = splitWords(line);
  if (words.length === 0) throw usageError('--on needs a command behind its status.');
  return words;
}

/** Variables that a command has no business with, besides every one whose value is known as a secret. */
const SECRET_VARIABLES = /^CDPADM_(CLIENT_SECRET|ACCESS_TOKEN|WORKSPACE_KEY|WORKSPACE_SECRET)$/;

/** Resolves when the command has ended; how is told as a warning when it is not well. */
export function runHook(
  ctx: Context,
  words: readonly string[],
  variables: Record<string, string>,
  input: Buffer,
): Promise<void> {
  const [program = '', ...args] = words;
  const isSecret = (name: string, value = ''): boolean =>
    SECRET_VARIABLES.test(name) || ctx.redactor.text(value) !== value;
  const env = Object.fromEntries(Object.entries(ctx.io.env).filter(([name, value]) => !isSecret(name, value)));
  return new Promise((resolve) => {
    const end = (problem: string | undefined): void => {
      if (problem !== undefined) ctx.out.warn(`The command ${program} ${problem}.`);
      resolve();
    };
    const child = spawn(program, args, {
      cwd: ctx.io.cwd,
      env: { ...env, ...variables },
      stdio: ['pipe', 'ignore', 'inherit'],
      shell: false,
    });
    child.on('error', (error) => end(`could not be started: ${error.message}`));
    child.on('close', (code, signal) => end(code === 0 ? undefined : `ended with ${signal ?? code}`));
    // A command that does not read its input is none the worse for it.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
