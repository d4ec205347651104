// Writes an error to standard error and, with `--summary`, to the step summary.
import { exitOf } from '../../errors/fail.ts';
import { EXIT } from '../../errors/entry.ts';
import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Issue, KnownError } from '../../kernel/errors.ts';
import type { Redactor } from '../../kernel/redact.ts';
import { cleanText } from '../../render/clean.ts';
import { createStyle, wantsColor } from '../../render/style.ts';
import { bugError, failureJson, failureMarkdown, failureScreen } from '../../render/failure.ts';
import { wrapMessage } from '../../render/width.ts';
import { annotation, forLog, MOST_ANNOTATIONS, wantsAnnotations } from './annotations.ts';
import { isJsonFormat } from './result-text.ts';
import type { GlobalFlags, Io } from '../context.ts';
import { hintCompleter } from '../command-line/complete-hint.ts';

/** Shows the error and returns the exit code. Any error except a KnownError is a bug. `asking`: see `hintCompleter`. */
export async function showFailure(
  error: unknown,
  io: Io,
  flags: GlobalFlags,
  redactor: Redactor,
  asking: readonly string[],
): Promise<number> {
  const known =
    error instanceof KnownError
      ? error.with({ hint: error.hints.map(hintCompleter(asking, flags)) })
      : bugError(error, flags.debug);
  const code = EXIT[exitOf(known)];
  const isJson = isJsonFormat(flags);
  const style = await createStyle(wantsColor(flags.color, io.env, io.tty.stderr));
  const screen = isJson ? failureJson(known, redactor) : failureScreen(known, style, redactor);
  const text = !isJson && io.tty.stderr ? wrapMessage(screen, io.columns()) : screen;
  const stack = flags.debug && error instanceof KnownError && !isJson ? error.stack : undefined;
  const log = stack === undefined ? text : `${text}${redactor.text(cleanText(stack))}\n`;
  io.stderr.write(forLog(log, io.env));
  if (!isJson && wantsAnnotations(flags, io.env)) {
    // The code view can show only issues that have a line.
    const placed = known.issues.filter(({ file, line }) => file !== undefined && line !== undefined);
    const shown = placed.slice(0, MOST_ANNOTATIONS);
    io.stderr.write(shown.map((issue) => annotation('error', redactor.value(issue) as Issue)).join(''));
  }
  const summary = flags.summary ? io.env.GITHUB_STEP_SUMMARY : undefined;
  try {
    if (summary) appendFileSync(resolve(io.cwd, summary), `${failureMarkdown(known, code, redactor)}\n`);
  } catch {
    // The error is already on standard error, and may even concern this file.
  }
  return code;
}
