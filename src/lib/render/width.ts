// Measures, truncates and wraps text by its width in terminal columns.
import measure from 'fast-string-width';

/** Returns a line's width in columns. Color codes count as 0 columns; East Asian characters and emoji count as 2. */
export function displayWidth(text: string): number {
  return measure(text);
}

/** Returns the text, or its beginning and `…`, in at most `width` columns. */
export function fitText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  for (const character of text) {
    if (displayWidth(kept + character) >= width) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Returns lines of at most `width` columns, broken at word boundaries. A longer word gets its own line. */
export function wrapText(text: string, width: number): string[] {
  return packLines(text.split(' '), width, { gap: ' ' });
}

/** Joins parts into lines of at most `width` columns (a longer part gets its own line). `next` indents later lines. */
export function packLines(
  parts: readonly string[],
  width: number,
  { gap = '', first = '', next = first }: { gap?: string; first?: string; next?: string },
): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = `${lines.at(-1) ?? ''}${gap}${part}`;
    if (lines.length === 0) lines.push(first + part);
    else if (displayWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(next + part.trimStart());
  }
  return lines;
}

/** Wraps lines, and keeps their indentation. Never breaks text in backticks or a final command: users copy them. */
export function wrapMessage(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (displayWidth(line) <= width) return [line];
      const words = line.match(/(?<=: )cdpadm [^]*|`[^`]*`[^\s`]*|\S+/g) ?? [];
      return packLines(words, width, { gap: ' ', first: /^ */.exec(line)?.[0] ?? '' });
    })
    .join('\n');
}

/** Wraps `text` after `lead`. Continuation lines are indented by the width of `lead`. */
export function wrapUnder(lead: string, text: string, width: number): string {
  const indent = displayWidth(lead);
  return lead + wrapMessage(text, Math.max(NARROWEST, width - indent)).replaceAll('\n', `\n${' '.repeat(indent)}`);
}

/** Shorter lines would be harder to read than overlong ones. */
const NARROWEST = 20;

/** Wraps a log line at word boundaries, but keeps its wide gaps. Continuation lines are indented. */
export function wrapLogLine(line: string, width: number): string {
  if (displayWidth(line) <= width) return line;
  return packLines(line.match(/(?<!\s)\s*\S+/g) ?? [], width, { next: '  ' }).join('\n');
}

/** Wraps a long line under the rightmost column that still leaves half of the width. */
export function wrapAligned(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => {
      if (displayWidth(line) <= width) return line;
      const lead = columnStarts(line).findLast((start) => displayWidth(start) <= width / 2) ?? '';
      return wrapUnder(lead, line.slice(lead.length), width);
    })
    .join('\n');
}

/** Returns the text before each column: the indentation with a change sign, and everything up to each gap's end. */
function columnStarts(line: string): string[] {
  const indent = /^(?:\p{Cc}\[[\d;]*m| )*(?:[-+~] +)?/u.exec(line)?.[0] ?? '';
  const gaps = [...line.matchAll(/(?<=\S) {2,}(?=\S)/gu)].map(({ 0: gap, index }) => index + gap.length);
  return [indent, ...gaps.filter((end) => end > indent.length).map((end) => line.slice(0, end))];
}
