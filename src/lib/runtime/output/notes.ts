// Writes notes, warnings, drawings and annotations to standard error.
import { type Issue, placeOf, type Hint, hintText, toHints } from '../../kernel/errors.ts';
import type { Redactor } from '../../kernel/redact.ts';
import { cleanLine, cleanText } from '../../render/clean.ts';
import type { Style } from '../../render/style.ts';
import { wrapAligned } from '../../render/width.ts';
import { hintCompleter } from '../command-line/complete-hint.ts';
import type { GlobalFlags, Io, Output } from '../context.ts';
import { annotation, isGitHub, maskCommands, MOST_ANNOTATIONS, wantsAnnotations } from './annotations.ts';
import type { Messages } from './messages.ts';
import type { Query } from './query.ts';
import { isJsonFormat, jsonText, UNLIMITED_WIDTH } from './result-text.ts';

export interface OutputSetup {
  io: Io;
  flags: GlobalFlags;
  redactor: Redactor;
  query: Query | undefined;
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
