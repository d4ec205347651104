// Standard error: lines for people, and the one live line of a running operation below them.
import { cleanText } from '../../render/clean.ts';
import { wrapMessage } from '../../render/width.ts';
import type { Io } from '../context.ts';
import { forLog } from './annotations.ts';

export type Messages = ReturnType<typeof createMessages>;

/** Whether what was drawn may be drawn anew: not where the cursor cannot move, nor where a screen reader reads along. */
export function mayRedraw({ env }: Io): boolean {
  return env.TERM !== 'dumb' && !env.CDPADM_ACCESSIBLE;
}

/** Back to the first column, and the line is empty. */
const CLEAR_LINE = '\r\u001b[K';

export function createMessages(io: Io) {
  let current: string | undefined;
  let lower: string | undefined;

  function put(text: string): void {
    // Standard error that nobody reads any more is no reason to stop.
    io.stderr.write(text, () => undefined);
  }

  /** Writes text that is already safe; the live line steps aside for it. */
  function write(text: string): void {
    command(forLog(text, io.env));
  }

  /** Writes a command for what runs us, such as an annotation. */
  function command(text: string): void {
    const shown = current ?? lower;
    put(shown === undefined ? text : `${CLEAR_LINE}${text}${shown}`);
  }

  /** Writes text that is already safe as lines, broken between words where standard error is a terminal. */
  function say(text: string): void {
    const lines = text.replace(/(?<!\n)\n+$/, '');
    write(`${io.tty.stderr ? wrapMessage(lines, io.columns()) : lines}\n`);
  }

  return {
    write,
    command,
    say,
    /** The same with text of unknown origin, which is cleaned. */
    line: (text: string): void => say(cleanText(text)),
    /** Replaces the live line, already cut to the width; nothing takes it away. */
    live: (text: string | undefined): void => {
      if (text !== undefined) put(`${CLEAR_LINE}${text}`);
      else if (current !== undefined) put(`${CLEAR_LINE}${lower ?? ''}`);
      current = text;
    },
    /** A second live line, which is seen where the first has nothing to say. */
    beneath: (text: string | undefined): void => {
      if (current === undefined && (text ?? lower) !== undefined) put(`${CLEAR_LINE}${text ?? ''}`);
      lower = text;
    },
  };
}
