// The progress of a bulk run and the command that resumes it, for both bulk commands.
import { isAbsolute, relative } from 'node:path';
import { hideLink } from '../lib/bulk/sources/remote.ts';
import { KnownError } from '../lib/kernel/errors.ts';
import { counted, grouped, shellLine } from '../lib/kernel/words.ts';
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
  { maxErrors, ...flags }: RunFlags & Parameters<typeof commandWords>[2],
  globals: Context['flags'],
): { again: Again; resume: ResumeCommand } {
  const own = { maxErrors: maxErrors?.replace(/\s+/g, ''), resume: undefined, restart: undefined };
  const shown = Object.entries({ ...flags, ...own }).map(([name, value]) => {
    return [name, Array.isArray(value) ? value.map(hideLink) : value] as const;
  });
  const line = commandWords(record, words.map(hideLink).map(pathWord), Object.fromEntries(shown), globals);
  const argv = [...line, '--resume', '-o', 'json', ...targetFlags(globals).flat()];
  return {
    again: (how, ended) => shellLine(afterError([...line, how], ended?.code)),
    resume: { resume: shellLine(argv), argv },
  };
}

/** Returns the arguments to run a command again after an error, without a limit that would end the next run too. */
export function afterError(argv: readonly string[], code: string | undefined): string[] {
  return code === 'bulk.too_many_errors' ? withFlag(argv, '--max-errors') : [...argv];
}

/** Replaces all values of a flag with a single value, or removes the flag. */
export function withFlag(words: readonly string[], flag: string, value?: string): string[] {
  const at = words.indexOf(flag);
  return words.flatMap((word, index) => {
    if (index === at && value !== undefined) return [flag, value];
    return word === flag || words[index - 1] === flag ? [] : [word];
  });
}

/** The path in a printed command: relative to the working directory if the file is in it. */
export function shownPath(ctx: Context, path: string): string {
  const inFolder = relative(ctx.io.cwd, path);
  return inFolder.startsWith('..') || isAbsolute(inFolder) ? path : pathWord(inFolder);
}

const pathWord = (path: string): string => (/^-./.test(path) ? `./${path}` : path);

export const NO_EARLIER_RUN = 'There is no earlier run of these files: starting from the beginning.';

/** Returns how many rows earlier runs completed, and how many rows are left, if known. */
export function completeText(complete: number, left?: number): string {
  const rest = left === undefined ? '' : `; ${grouped(left)} left`;
  return `${counted(complete, 'row is', 'rows are')} already complete${rest}.`;
}

/** Returns the line of a dry run that shows where its `count` requests would be sent. */
export function destinationOf([first]: readonly { method: string; url: string }[], count: number): string[] {
  return first ? [`${count === 1 ? 'The' : 'Each'} request would be a ${first.method} to ${first.url}.`] : [];
}

/** Runs `work` with progress. `explain` turns the error or signal that ends a run early into the error to throw. */
export async function runWithProgress<Result>(
  ctx: Context,
  title: string,
  work: (progress: Progress) => Promise<Result>,
  explain: (error: KnownError) => KnownError,
): Promise<Result> {
  const progress = ctx.out.progress(title);
  const { lastWords } = ctx;
  ctx.lastWords = (error) => {
    progress.end();
    return explain(error);
  };
  try {
    const result = await work(progress);
    ctx.lastWords = lastWords;
    return result;
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
  of: () => Partial<ResumeCommand> | undefined,
  work: Promise<void>,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof KnownError) || error.details?.['progress'] !== undefined) throw error;
    throw curl || dryRun ? error : withProgress(error, of());
  }
}

/** Adds the run's progress, which may contain the command that resumes it, to the error that ended the run. */
export function withProgress(error: KnownError, progress: Partial<ResumeCommand> | undefined): KnownError {
  if (progress === undefined) return error;
  const { argv = [], resume } = progress;
  const again = resume !== undefined && { resume: shellLine(afterError(argv, error.code)) };
  return error.with({ details: { ...error.details, progress: { ...progress, ...again } } });
}
