// Builds the part of a context that an action needs and `--help` does not.
import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { usageError } from '../kernel/errors.ts';
import type { Redactor } from '../kernel/redact.ts';
import { createStyle, wantsColor } from '../render/style.ts';
import type { GlobalFlags, Io, Output, Prompts } from './context.ts';
import { createOutput } from './output/output.ts';
import { createPrompts } from './prompts/prompts.ts';

export interface Begun {
  flags: GlobalFlags;
  out: Output;
  prompt: Prompts;
}

/**
 * Throws KnownError usage (2) for flags that would otherwise fail only after the command's work: an invalid query, or a
 * folder of `--out` or `--summary` that is not writable.
 */
export async function begin(
  io: Io,
  flags: GlobalFlags,
  redactor: Redactor,
  signal: AbortSignal,
  asking: readonly string[],
): Promise<Begun> {
  const query =
    flags.query === undefined ? undefined : await (await import('./output/query.ts')).compileQuery(flags.query);
  const file = flags.out === '-' ? undefined : flags.out;
  if (file !== undefined) checkFolder('--out', dirname(resolve(io.cwd, file)));
  if (flags.summary) checkSummary(io);
  const styles = {
    stdout: await createStyle(file === undefined && wantsColor(flags.color, io.env, io.tty.stdout)),
    stderr: await createStyle(wantsColor(flags.color, io.env, io.tty.stderr)),
  };
  return {
    flags,
    out: createOutput({ io, flags, redactor, query, styles, asking }),
    prompt: createPrompts(io, flags, styles.stderr, signal),
  };
}

function checkSummary(io: Io): void {
  const file = io.env.GITHUB_STEP_SUMMARY;
  if (!file)
    throw usageError('--summary needs $GITHUB_STEP_SUMMARY, the file to append to.', 'Set it, or use --out FILE.');
  checkFolder('--summary', dirname(resolve(io.cwd, file)));
}

function checkFolder(flag: string, folder: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    throw usageError(
      `${flag} cannot write to the folder ${folder}.`,
      'Create the folder first, or choose another one.',
    );
  }
}
