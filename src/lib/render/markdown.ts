// Results as Markdown, for CI summaries and for tickets.
import type { Issue } from '../kernel/errors.ts';
import { cellText, columnTitle } from './delimited.ts';
import { cleanLine } from './clean.ts';
import type { Column } from './view.ts';
import { largest } from '../kernel/words.ts';

/** Returns a table whose cells cannot end the table, start code, or add their own markup. */
export function toMarkdownTable<Row>(rows: readonly Row[], columns: Column<Row>[], header: boolean): string {
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |\n`;
  // A Markdown table needs a heading line, which is empty if there are no headings.
  const head = columns.map((column) => (header ? escapeMarkdown(columnTitle(column)) : ' '));
  const rule = columns.map((column) => (column.align === 'right' ? '---:' : '---'));
  const body = rows.map((row) => line(columns.map((column) => escapeMarkdown(cellText(column.value(row))))));
  return line(head) + line(rule) + body.join('');
}

/** Returns the text as a code block whose fence is longer than any run of backticks in the text. */
export function toCodeBlock(text: string, language = ''): string {
  const longest = largest(
    Array.from(text.matchAll(/`+/g), (match) => match[0].length),
    2,
  );
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/(?<!\n)\n*$/, '\n')}${fence}\n`;
}

/** Returns a plan for a pull request. A line's first character sets its color, so signs precede the indentation. */
export function toDiffBlock(title: string, body: string, lead = ''): string {
  // Diff highlighting does not support `~`, so `!` marks changes.
  const signed = body.replace(
    /^( +)([-+~*])(?= )/gm,
    (_, indent: string, sign: string) => `${sign === '~' ? '!' : sign}${indent}`,
  );
  return `### ${escapeMarkdown(title)}\n${lead}\n${toCodeBlock(signed, 'diff')}`;
}

/** Returns a line of Markdown. Text between backticks becomes code; all other text has no markup. */
export function toMarkdownLine(text: string): string {
  // Every second part was between backticks.
  const parts = cleanLine(text).split(/`([^`]+)`/);
  return parts.map((part, index) => (index % 2 === 1 ? `\`${part}\`` : escapeMarkdown(part))).join('');
}

/** Returns an issue as a list item: its position if known, its field and its message. */
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
