// Writes lines to standard error, above the live line of a running operation.
import { cleanText } from '../../render/clean.ts';
import { wrapMessage, displayWidth } from '../../render/width.ts';
import type { Io, Context } from '../context.ts';
import { forLog } from './annotations.ts';
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
