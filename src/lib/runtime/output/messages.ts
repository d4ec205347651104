// Writes notes, warnings, drawings and annotations to standard error, above the live line of a running operation.
import { type Issue, placeOf, type Hint, hintText, toHints } from '../../kernel/errors.ts';
import type { Redactor } from '../../kernel/redact.ts';
import { cleanLine, cleanText } from '../../render/clean.ts';
import { displayWidth, wrapAligned, wrapMessage } from '../../render/width.ts';
import { hintCompleter } from '../command-line/complete-hint.ts';
import type { Context, GlobalFlags, Io, Output } from '../context.ts';
import { annotation, forLog, isGitHub, maskCommands, MOST_ANNOTATIONS, wantsAnnotations } from './annotations.ts';
import { isJsonFormat, jsonText, UNLIMITED_WIDTH } from './result-text.ts';
import { type Style, plainStyle } from '../../render/style.ts';

export type Messages = ReturnType<typeof createMessages>;

/** True if output may be redrawn. A dumb terminal cannot move its cursor, and a screen reader would repeat the text. */
export function mayRedraw({ env }: Io): boolean {
  return env.TERM !== 'dumb' && !env.CDPADM_ACCESSIBLE;
}

/** Width for a live line: a terminal adds `^C` for each Ctrl-C, and a line that wraps cannot be cleared. */
export const liveWidth = (io: Io): number => io.columns() - 5;

/** Moves to the first column, and clears the line. */
const CLEAR_LINE = '\r\u001b[K';

export function createMessages(io: Io) {
  let current: string | undefined;
  let lower: string | undefined;

  function put(text: string): void {
    // The command continues if standard error was closed.
    io.stderr.write(text, () => undefined);
  }

  function write(text: string): void {
    command(forLog(text, io.env));
  }

  /** Writes a workflow command, such as an annotation. */
  function command(text: string): void {
    const shown = current ?? lower;
    put(shown === undefined ? text : `${CLEAR_LINE}${text}${shown}`);
  }

  function say(text: string): void {
    const lines = text.trimEnd();
    write(`${io.tty.stderr ? wrapMessage(lines, io.columns()) : lines}\n`);
  }

  return {
    write,
    command,
    say,
    line: (text: string): void => say(cleanText(text)),
    /** Replaces the live line. The text must fit the width; undefined removes the line. */
    live: (text: string | undefined): void => {
      if (text !== undefined) put(`${CLEAR_LINE}${text}`);
      else if (current !== undefined) put(`${CLEAR_LINE}${lower ?? ''}`);
      current = text;
    },
    /** Replaces the secondary live line, which is shown only while there is no primary one. */
    beneath: (text: string | undefined): void => {
      if (current === undefined && (text ?? lower) !== undefined) put(`${CLEAR_LINE}${text ?? ''}`);
      lower = text;
    },
  };
}

export interface OutputSetup {
  io: Io;
  flags: GlobalFlags;
  redactor: Redactor;
  query: ((data: unknown) => unknown) | undefined;
  styles: { stdout: Style; stderr: Style };
  asking: readonly string[];
}

type Notes = Pick<Output, 'advice' | 'annotate' | 'note' | 'show' | 'verbose' | 'warn'>;

export function createNotes({ io, flags, redactor, styles, asking }: OutputSetup, messages: Messages): Notes {
  const complete = hintCompleter(asking, flags);
  const adviceLine = (hint: string | Hint): string => cleanLine(hintText(toHints(hint).map(complete)));
  const isJson = isJsonFormat(flags);
  // If a program asked for JSON and also reads standard error, it must find only JSON there.
  const toProgram = isJson && !io.tty.stderr;
  const isSilent = flags.quiet || toProgram;
  let annotated = 0;
  if (isGitHub(io.env) && !isJson) redactor.onSecret((secret) => messages.command(maskCommands(secret)));

  function annotate(level: 'error' | 'warning', issue: Issue): void {
    if (isJson || annotated >= MOST_ANNOTATIONS || !wantsAnnotations(flags, io.env)) return;
    annotated += 1;
    messages.command(annotation(level, redactor.value(issue) as Issue));
  }

  return {
    advice: (hints) => hintText(hints.map(complete)),
    // Always one line: a name in a note must not start a line that could look like part of a plan.
    note: (hint) => {
      if (!isSilent) messages.line(redactor.text(adviceLine(hint)));
    },
    warn: (about) => {
      const issue = typeof about === 'object' && 'path' in about ? about : undefined;
      const text = issue
        ? [placeOf(issue), issue.path, issue.message].filter(Boolean).join(': ')
        : adviceLine(about as Hint);
      const safe = redactor.text(cleanLine(text));
      messages.say(
        toProgram ? jsonText({ warning: { message: safe } }) : `${styles.stderr.yellow('Warning:')} ${safe}`,
      );
      if (issue) annotate('warning', issue);
    },
    annotate: (level, about) => {
      const { message, ...place } = typeof about === 'string' ? { path: '', message: about } : about;
      annotate(level, { ...place, message: cleanLine(message) });
    },
    verbose: (text) => {
      if (flags.verbose || flags.debug) messages.write(`${styles.stderr.dim(redactor.text(cleanText(text)))}\n`);
    },
    show: (text) => {
      // A person must see what a question refers to, even with --quiet.
      if (isSilent && (flags.yes || !io.tty.stderr)) return;
      const width = io.tty.stderr ? io.columns() : UNLIMITED_WIDTH;
      messages.write(`${wrapAligned(text(styles.stderr, width).trimEnd(), width)}\n`);
    },
  };
}

/** Returns undefined unless the result is a table on a terminal that can be redrawn. */
export function createRedrawing({ flags, io, out }: Context) {
  const isDrawn = flags.output === 'table' && flags.out === undefined && flags.query === undefined;
  if (!io.tty.stdout || !isDrawn || !mayRedraw(io)) return undefined;
  let height = 0;
  return (text: (style: Style, width: number) => string): void => {
    const width = io.columns();
    const style = io.tty.stderr ? out.style : plainStyle;
    const lines = text(style, width).trimEnd().split('\n');
    // Moves up to the first line, and clears everything below.
    const back = height === 0 ? '' : `\u001b[${height}A\r\u001b[J`;
    io.stdout.write(`${back}${lines.join('\n')}\n`, () => undefined);
    height = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / width)), 0);
  };
}
