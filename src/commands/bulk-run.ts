// The progress of a bulk run and the command that resumes it, for both bulk commands.
import { isAbsolute, relative } from 'node:path';
import { hideLink } from '../lib/bulk/sources/remote.ts';
import { KnownError } from '../lib/kernel/errors.ts';
import { shellLine } from '../lib/kernel/words.ts';
import { targetFlags } from '../lib/runtime/command-line/complete-hint.ts';
import { type CommandRecord, commandWords } from '../lib/runtime/command-line/define-command.ts';
import type { Context, Progress } from '../lib/runtime/context.ts';
import type { RunFlags } from './bulk-flags.ts';

/** Returns this run's command line with `how` appended. `ended` is the error that ended the run. */
export type Again = (how: '--resume' | '--restart', ended?: KnownError) => string;

/** The command that resumes a run on any machine, as text and as arguments, with target flags and JSON output. */
export interface ResumeCommand {
  resume: string;
  argv: string[];
}

export function createAgain(
  record: CommandRecord,
  words: readonly string[],
  { maxErrors, resume: _resume, ...flags }: RunFlags & Parameters<typeof commandWords>[2],
  globals: Context['flags'],
): { again: Again; resume: ResumeCommand } {
  const shown = Object.entries({ ...flags, restart: undefined }).map(([name, value]) => {
    return [name, Array.isArray(value) ? value.map(hideLink) : value] as const;
  });
  const line = commandWords(record, words.map(hideLink), Object.fromEntries(shown), globals);
  const limit = maxErrors === undefined ? [] : ['--max-errors', maxErrors.replace(/\s+/g, '')];
  const argv = [...line, ...limit, '--resume', '-o', 'json', ...targetFlags(globals).flat()];
  return {
    // The limit that ended this run would also end the next one.
    again: (how, ended) => shellLine([...line, ...(ended?.code === 'bulk.too_many_errors' ? [] : limit), how]),
    resume: { resume: shellLine(argv), argv },
  };
}

/** The path in a printed command: relative to the working directory if the file is in it. */
export function shownPath(ctx: Context, path: string): string {
  const inFolder = relative(ctx.io.cwd, path);
  return inFolder.startsWith('..') || isAbsolute(inFolder) ? path : inFolder;
}

/** Runs `work` with progress. If an error ends the run early, throws what `explain` returns for it. */
export async function runWithProgress<Result>(
  ctx: Context,
  title: string,
  work: (progress: Progress) => Promise<Result>,
  explain: (error: KnownError) => KnownError,
): Promise<Result> {
  const progress = ctx.out.progress(title);
  try {
    return await work(progress);
  } catch (error) {
    throw error instanceof KnownError ? explain(error) : error;
  } finally {
    progress.end();
  }
}

/**
 * Adds an empty `progress` to an error that occurs before the first row, so that the joined results name this part and
 * its error. `of` returns this part's result, or undefined if the run is not a part. A dry run is never a part.
 */
export async function asPart(
  { curl, dryRun }: Context['flags'],
  of: () => object | undefined,
  work: Promise<void>,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof KnownError) || error.details?.['progress'] !== undefined) throw error;
    const progress = curl || dryRun ? undefined : of();
    throw progress === undefined ? error : error.with({ details: { ...error.details, progress } });
  }
}
