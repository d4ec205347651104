// What a command that goes on has to say, one state after the other, each in the format that was asked for.
import { plainStyle, type Style } from '../../render/style.ts';
import type { ListView } from '../../render/view.ts';
import { wrapLogLine } from '../../render/width.ts';
import type { Context } from '../context.ts';
import { resultText } from './result-text.ts';

/** One state after the other. */
export interface ResultLines<T> {
  /** Writes the heading that CSV and Markdown have, where it may take long until there is a row below it. */
  begin(): Promise<void>;
  tell(state: T): Promise<void>;
}

/**
 * Says one state after the other: a line for people, an object a line under JSON formats, a document after `---` in
 * YAML, rows under one heading in CSV and Markdown, its id under `-o name`. `view` is that of a list of states.
 */
export function createResultLines<T>(
  { flags, io, out }: Context,
  view: ListView<T>,
  line: (state: T, style: Style) => string,
): ResultLines<T> {
  const hasRows = flags.output === 'csv' || flags.output === 'markdown';
  let heading: Promise<void> | undefined;
  // Whichever of heading and state is asked for first, the heading is written once and before all rows.
  const begin = (): Promise<void> => (heading ??= writeHeading());
  return { begin, tell };

  async function writeHeading(): Promise<void> {
    const text = hasRows ? (await textOf([])).trimEnd() : '';
    if (text !== '') await out.emitLine([], text);
  }

  async function tell(state: T): Promise<void> {
    if (['table', 'json', 'ndjson'].includes(flags.output)) {
      // A terminal would break words; whatever else reads lines gets each state in one.
      const width = io.tty.stdout ? io.columns() : Infinity;
      await out.emitLine(state, (style) => wrapLogLine(line(state, style), width));
      return;
    }
    await begin();
    const text = flags.output === 'yaml' ? `---\n${await textOf(state)}` : await textOf([state]);
    // A state without an id has nothing to say under `-o name`.
    if (text.trim() === '') return;
    await out.emitLine(state, withoutHeading(text, hasRows ? headingLines(flags) : 0).trimEnd());
  }

  function textOf(data: T | T[]): Promise<string> {
    const target = { terminal: false, width: io.columns(), style: plainStyle };
    // Erased as the output does it: the view has checked the rows.
    return resultText(data, view as unknown as ListView<unknown>, flags, target);
  }
}

/** Lines above the first row of CSV and Markdown. */
function headingLines({ output, header }: Context['flags']): number {
  if (output === 'markdown') return 2;
  return output === 'csv' && header ? 1 : 0;
}

function withoutHeading(text: string, lines: number): string {
  return text.split('\n').slice(lines).join('\n');
}
