// Shared by both bulk commands: the progress of a run, and the command that resumes it.
import { hideLink } from '../lib/bulk/sources/remote.ts';
import { KnownError } from '../lib/kernel/errors.ts';
import type { CommandRecord } from '../lib/runtime/command-line/define-command.ts';
import { hintCompleter } from '../lib/runtime/command-line/complete-hint.ts';
import { commandLine } from '../lib/runtime/command-line/define-command.ts';
import type { Context, Progress } from '../lib/runtime/context.ts';
import type { RunFlags } from './bulk-flags.ts';

/** The command line of this run with `how` at its end. `ended` is what ended the run. */
export type Again = (how: '--resume' | '--restart', ended?: KnownError) => string;

export function createAgain(
  record: CommandRecord,
  words: readonly string[],
  { maxErrors, resume: _resume, ...flags }: RunFlags & Parameters<typeof commandLine>[2],
  globals: { yes: boolean },
): Again {
  const shown = Object.entries({ ...flags, restart: undefined }).map(([name, value]) => {
    return [name, Array.isArray(value) ? value.map(hideLink) : value] as const;
  });
  const line = commandLine(record, words.map(hideLink), Object.fromEntries(shown), globals);
  const limit = maxErrors === undefined ? '' : ` --max-errors ${maxErrors.replace(/\s+/g, '')}`;
  // A limit that ended this run would also end the next one.
  return (how, ended) => `${line}${ended?.code === 'bulk.too_many_errors' ? '' : limit} ${how}`;
}

/** The command that resumes this run with its target, for those who run it on another machine. */
export function resumeCommand({ path }: CommandRecord, again: Again, flags: Context['flags']): string {
  const command = again('--resume');
  return hintCompleter([path], flags)({ text: '', command }).command ?? command;
}

/** Runs `work` with progress. An error that ends it early is thrown as `explain` returns it. */
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
