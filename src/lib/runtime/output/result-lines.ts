// What a command that goes on has to say, one state after the other, each in the format that was asked for.
import { plainStyle, type Style } from '../../render/style.ts';
import type { ListView } from '../../render/view.ts';
import type { Context } from '../context.ts';
import { resultText } from './result-text.ts';

/**
 * Says one state after the other: a line for people, an object a line under JSON formats, a document after `---` in
 * YAML, rows under one heading in CSV and Markdown, its id under `-o name`. `view` is that of a list of states.
 */
export function createResultLines<T>(
  { flags, io, out }: Context,
  view: ListView<T>,
  line: (state: T, style: Style) => string,
): (state: T) => Promise<void> {
  let isFirst = true;
  return async (state) => {
    if (['table', 'json', 'ndjson'].includes(flags.output)) {
      await out.emitLine(state, (style) => line(state, style));
      return;
    }
    const target = { terminal: false, width: io.columns(), style: plainStyle };
    const isYaml = flags.output === 'yaml';
    // Erased as the output does it: the view has checked the rows.
    const text = await resultText(isYaml ? state : [state], view as unknown as ListView<unknown>, flags, target);
    // A state without an id has nothing to say under `-o name`.
    if (text.trim() === '') return;
    await out.emitLine(
      state,
      (isYaml ? `---\n${text}` : withoutHeading(text, isFirst ? 0 : headingLines(flags))).trimEnd(),
    );
    isFirst = false;
  };
}

/** Lines above the first row of CSV and Markdown. */
function headingLines({ output, header }: Context['flags']): number {
  if (output === 'markdown') return 2;
  return output === 'csv' && header ? 1 : 0;
}

function withoutHeading(text: string, lines: number): string {
  return text.split('\n').slice(lines).join('\n');
}
