// A part of the terminal that is drawn anew in its place, for commands that watch something.
import { type Style, plainStyle } from '../../render/style.ts';
import type { Context } from '../context.ts';
import { mayRedraw } from './messages.ts';

export interface Redrawing {
  /** Draws over what was drawn before. The text must be clean already. */
  draw(text: (style: Style, width: number) => string): void;
}

/** Undefined where lines are wanted: no terminal, a format for programs, or one that cannot move its cursor. */
export function createRedrawing({ flags, io, out }: Context): Redrawing | undefined {
  if (!io.tty.stdout || flags.output !== 'table' || !mayRedraw(io)) return undefined;
  let height = 0;
  return {
    draw: (text) => {
      const width = io.columns();
      const style = io.tty.stderr ? out.style : plainStyle;
      const lines = text(style, width)
        .replace(/(?<!\n)\n+$/, '')
        .split('\n');
      // Up to the first line that was drawn, and everything below it goes.
      const back = height === 0 ? '' : `\u001b[${height}A\r\u001b[J`;
      io.stdout.write(`${back}${lines.join('\n')}\n`, () => undefined);
      height = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(visibleLength(line) / width)), 0);
    },
  };
}

/** Without colour; wide characters count once, which at worst leaves a line standing. */
function visibleLength(line: string): number {
  // eslint-disable-next-line no-control-regex -- the colour codes of our own styles
  return line.replace(/\u001b\[[0-9;]*m/g, '').length;
}
