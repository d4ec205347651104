// Results as Markdown, for summaries of continuous integration and for tickets.
import type { Issue } from '../kernel/errors.ts';
import { cellText } from './delimited.ts';
import { cleanLine } from './clean.ts';
import type { Column } from './view.ts';

/** A table whose cells cannot end it, start code, or bring markup of their own. */
export function toMarkdownTable<Row>(rows: readonly Row[], columns: Column<Row>[], header: boolean): string {
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |\n`;
  // Markdown has no table without a heading line; an empty one is the nearest.
  const head = columns.map((column) => (header ? escapeMarkdown(column.key) : ' '));
  const rule = columns.map((column) => (column.align === 'right' ? '---:' : '---'));
  const body = rows.map((row) => line(columns.map((column) => escapeMarkdown(cellText(column.value(row))))));
  return line(head) + line(rule) + body.join('');
}

/** Text as it stands, in a block whose fence is longer than any run of back-ticks inside. */
export function toCodeBlock(text: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), (match) => match[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/(?<!\n)\n*$/, '\n')}${fence}\n`;
}

/**
 * A plan under its heading, coloured as a diff: what a pull-request comment shows best. `lead` stands between. A line is
 * coloured by its first character alone, so that a sign that stands further in changes places with its indentation.
 */
export function toDiffBlock(title: string, body: string, lead = ''): string {
  // A diff knows no `~`: what changes within a thing has the colour of `!`.
  const signed = body.replace(
    /^( +)([-+~*])(?= )/gm,
    (_, indent: string, sign: string) => `${sign === '~' ? '!' : sign}${indent}`,
  );
  return `### ${escapeMarkdown(title)}\n${lead}\n${toCodeBlock(signed, 'diff')}`;
}

/** Words in a line of their own: what stands between back-ticks as code, all else without any markup. */
export function toMarkdownLine(text: string): string {
  // Every second part is one that stood between back-ticks.
  const parts = cleanLine(text).split(/`([^`]+)`/);
  return parts.map((part, index) => (index % 2 === 1 ? `\`${part}\`` : escapeMarkdown(part))).join('');
}

/** An issue as an item of a list: its place, as far as it is known, its field and what is wrong. */
export function toIssueItem({ file, line, column, path, message }: Issue): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return `- ${[place, path, message]
    .filter((part) => part !== '')
    .map(toMarkdownLine)
    .join(': ')}`;
}

function escapeMarkdown(text: string): string {
  return cleanLine(text).replace(/[\\|`*_<>[\]#~]/g, '\\$&');
}
