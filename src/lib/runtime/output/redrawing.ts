// Redraws a part of the terminal in place, for commands that watch something.
import { type Style, plainStyle } from '../../render/style.ts';
import { displayWidth } from '../../render/width.ts';
import type { Context } from '../context.ts';
import { mayRedraw } from './messages.ts';

export interface Redrawing {
  /** Replaces what was drawn before. The text must be clean. */
  draw(text: (style: Style, width: number) => string): void;
}

/** Undefined without a terminal, in a format for programs, or if the terminal cannot be redrawn. */
export function createRedrawing({ flags, io, out }: Context): Redrawing | undefined {
  if (!io.tty.stdout || flags.output !== 'table' || !mayRedraw(io)) return undefined;
  let height = 0;
  return {
    draw: (text) => {
      const width = io.columns();
      const style = io.tty.stderr ? out.style : plainStyle;
      const lines = text(style, width).trimEnd().split('\n');
      // Moves up to the first line and clears everything below.
      const back = height === 0 ? '' : `\u001b[${height}A\r\u001b[J`;
      io.stdout.write(`${back}${lines.join('\n')}\n`, () => undefined);
      height = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / width)), 0);
    },
  };
}
