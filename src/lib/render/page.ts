// Pages of help: paragraphs, tables of two columns, shapes of JSON and examples, in the width of a terminal.
import { displayWidth, wrapMessage } from './width.ts';

/** Lines longer than this are hard to read however wide the terminal is. */
export const MAX_PAGE_WIDTH = 100;

/** Deeper than a table's first column: text that has no room beside it. */
const BELOW = '      ';

/**
 * A page in lines of at most `width` columns and never more than `MAX_PAGE_WIDTH`. Where the source breaks a paragraph, or
 * the second column of a table, says nothing. What goes on does so below where its text began. A command line after a
 * prompt stays whole; a shape of JSON is broken as `wrapShape` does.
 */
export function wrapPage(text: string, width: number): string {
  const columns = Math.min(width, MAX_PAGE_WIDTH);
  return joinLines(text)
    .flatMap((line) => {
      if (EXAMPLE.test(line)) return [line];
      if (SHAPE.test(line)) return wrapShape(line.trimStart(), columns);
      const start = startOf(line);
      if (start.length <= columns / 2) return below(start, line.slice(start.length), columns);
      return [start.trimEnd(), ...below(BELOW, line.slice(start.length), columns)];
    })
    .join('\n');
}

/** The shape of a result, indented, broken behind commas and between forms. */
export function wrapShape(shape: string, width: number): string[] {
  const lines: string[] = [];
  for (const part of shape.split(/(?<=,|\| )/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length <= width) lines[lines.length - 1] = last + part;
    else if (part.trim() !== '') lines.push(`${lines.length === 0 ? '  ' : '    '}${part.trimStart()}`);
  }
  return lines;
}

const EXAMPLE = /^ +\$ /;
const SHAPE = /^ +\{/;

/** What stands before a line's text: its indent, or the first of its two columns with the blanks behind. */
function startOf(line: string): string {
  const gap = /(?<=\S) {2,}(?=\S)/.exec(line);
  return gap ? line.slice(0, gap.index + gap[0].length) : (/^ */.exec(line)?.[0] ?? '');
}

/** Lines that the source has broken made whole again. */
function joinLines(text: string): string[] {
  const lines: string[] = [];
  // Where the last line goes on, if it does.
  let column: number | undefined;
  for (const line of text.split('\n')) {
    const indent = line.length - line.trimStart().length;
    if (line !== '' && indent === column) {
      lines.push(`${lines.pop() ?? ''} ${line.trimStart()}`);
      continue;
    }
    lines.push(line);
    const start = startOf(line).length;
    // An indented line without a second column stands alone: an example, a shape, a name.
    column = line === '' || (start === indent && indent > 0) ? undefined : start;
  }
  return lines;
}

function below(start: string, text: string, columns: number): string[] {
  if (displayWidth(text) <= columns - start.length) return [start + text];
  const [first = '', ...rest] = wrapMessage(text, columns - start.length).split('\n');
  return [start + first, ...rest.map((more) => ' '.repeat(start.length) + more)];
}
