// Runs a command of the user's for an event: without a shell, data by environment and standard input, none of our secrets.
import { spawn } from 'node:child_process';
import { usageError } from '../kernel/errors.ts';
import { splitWords } from '../kernel/split-words.ts';
import { environmentForChild } from './child-environment.ts';
import type { Context } from './context.ts';

/** Words of a command line; quotes group, nothing is expanded. Throws usage (2) for an empty one. */
export function hookWords(line: string): string[] {
  const words = splitWords(line);
  if (words.length === 0) throw usageError('--on needs a command behind its status.');
  return words;
}

/** Resolves when the command has ended; how is told as a warning when it is not well. */
export async function runHook(
  ctx: Context,
  words: readonly string[],
  variables: Record<string, string>,
  input: Buffer,
): Promise<void> {
  const [program = '', ...args] = words;
  const warn = (problem: string): void => ctx.out.warn(`The command ${program} ${problem}.`);
  let env: Awaited<ReturnType<typeof environmentForChild>>;
  try {
    env = await environmentForChild(ctx);
  } catch (error) {
    // What would have to be withheld from it is not known.
    warn(`was not started: ${(error as Error).message}`);
    return;
  }
  await new Promise<void>((resolve) => {
    const end = (problem: string | undefined): void => {
      if (problem !== undefined) warn(problem);
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
