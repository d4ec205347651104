// Wraps help pages to the width of a terminal: paragraphs, two-column tables, JSON shapes and examples.
import { packLines, wrapUnder } from './width.ts';

/** Longer lines are hard to read, even in a wide terminal. */
export const MAX_PAGE_WIDTH = 100;

/** Indentation of text that does not fit next to a table's first column. */
const BELOW = '      ';

/** Joins the lines of a paragraph or cell before wrapping it. Never wraps an example (`$ command`). */
export function wrapPage(text: string, width: number): string {
  const columns = Math.min(width, MAX_PAGE_WIDTH);
  return joinLines(text)
    .flatMap((line) => {
      if (EXAMPLE.test(line)) return [line];
      if (SHAPE.test(line)) return wrapShape(line.trimStart(), columns);
      const start = startOf(line);
      if (start.length <= columns / 2) return [wrapUnder(start, line.slice(start.length), columns)];
      return [start.trimEnd(), wrapUnder(BELOW, line.slice(start.length), columns)];
    })
    .join('\n');
}

/** Wraps the shape of a result after commas and between alternatives, and indents it. */
export function wrapShape(shape: string, width: number): string[] {
  const parts = shape.split(/(?<=,|\| )/).filter((part) => part.trim() !== '');
  return packLines(parts, width, { first: '  ', next: '    ' });
}

const EXAMPLE = /^ +\$ /;
const SHAPE = /^ +\{/;

/** Returns the indentation of a line, or its first column with the spaces after it. */
function startOf(line: string): string {
  const gap = /(?<=\S) {2,}(?=\S)/.exec(line);
  return gap ? line.slice(0, gap.index + gap[0].length) : (/^ */.exec(line)?.[0] ?? '');
}

function joinLines(text: string): string[] {
  const lines: string[] = [];
  // Column where the last line continues.
  let column: number | undefined;
  for (const line of text.split('\n')) {
    const indent = line.length - line.trimStart().length;
    if (line !== '' && indent === column) {
      lines.push(`${lines.pop() ?? ''} ${line.trimStart()}`);
      continue;
    }
    lines.push(line);
    const start = startOf(line).length;
    // An indented line without a second column is complete: an example, a shape or a name.
    column = line === '' || (start === indent && indent > 0) ? undefined : start;
  }
  return lines;
}
