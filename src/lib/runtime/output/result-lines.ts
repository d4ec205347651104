// Prints each state of a command that keeps running, in the format set by `-o`.
import type { Clock } from '../../kernel/clock.ts';
import { plainStyle, type Style } from '../../render/style.ts';
import type { ListView } from '../../render/view.ts';
import { wrapLogLine } from '../../render/width.ts';
import type { Context } from '../context.ts';
import { resultText } from './result-text.ts';

/** Returns functions that print each state as a line, an object, a document, a row or an id, depending on `-o`. */
export function createResultLines<T>(
  { flags, io, out }: Context,
  view: ListView<T>,
  line: (state: T, style: Style) => string,
) {
  // With --query, `emitLine` prints one value per line in every format.
  const isPlain = flags.query !== undefined || ['table', 'json', 'ndjson'].includes(flags.output);
  const headingLines = isPlain ? 0 : flags.output === 'markdown' ? 2 : flags.output === 'csv' && flags.header ? 1 : 0;
  let heading: Promise<void> | undefined;
  /** Writes the CSV or Markdown header once, before the first row is known. */
  const begin = (): Promise<void> => (heading ??= writeHeading());
  return { begin, tell };

  async function writeHeading(): Promise<void> {
    const text = headingLines > 0 ? (await textOf([])).trimEnd() : '';
    if (text !== '') await out.emitLine([], text);
  }

  async function tell(state: T): Promise<void> {
    if (isPlain) {
      // A terminal would break lines within words. In a pipe, each state stays on one line.
      const width = io.tty.stdout ? io.columns() : Infinity;
      await out.emitLine(state, (style) => wrapLogLine(line(state, style), width));
      return;
    }
    await begin();
    const text = flags.output === 'yaml' ? `---\n${await textOf(state)}` : await textOf([state]);
    // With `-o name`, a state without an id prints nothing.
    if (text.trim() === '') return;
    await out.emitLine(state, text.split('\n').slice(headingLines).join('\n').trimEnd());
  }

  function textOf(data: T | T[]): Promise<string> {
    const target = { terminal: false, width: io.columns(), style: plainStyle };
    return resultText(data, view as unknown as ListView<unknown>, flags, target);
  }
}

/** Returns a clock that shows the seconds of a pause on a terminal, so that a quiet watch does not appear to hang. */
export function watchClock({ clock, io, out }: Context, text: string): Clock {
  if (!io.tty.stderr) return clock;
  return { ...clock, sleep: (ms, signal) => clock.sleep(ms, signal).finally(out.waits({ text })) };
}
