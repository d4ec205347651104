// Formats an error as a screen for humans and as JSON for programs. No other module converts errors to text.
import { KnownError, type Issue, placeOf, hintLine } from '../kernel/errors.ts';
import { stringifyJson } from '../kernel/json.ts';
import type { Redactor } from '../kernel/redact.ts';
import { cleanLine, cleanText, escapeJson } from './clean.ts';
import { toIssueItem, toMarkdownLine } from './markdown.ts';
import type { Style } from './style.ts';

/** Maximum number of issues to show. Further issues are only counted; JSON lists more. */
const LISTED_ISSUES = 50;

/** Longer messages are truncated: they quote a whole input, such as a file with a single line. */
const LONGEST_TEXT = 4000;

/** Truncates long text. Masks it first, because half of a secret would not be recognized. */
function shortened(text: string, redactor: Redactor): string {
  if (text.length <= LONGEST_TEXT) return text;
  const masked = redactor.text(text);
  return `${masked.slice(0, LONGEST_TEXT / 2)} … (${text.length} characters) … ${masked.slice(-LONGEST_TEXT / 4)}`;
}

/** Returns the problem, its positions, the fix and the request, in this order. Ends in a newline. */
export function failureScreen(error: KnownError, style: Style, redactor: Redactor): string {
  // Use a single line, because a quoted line break could fake part of a plan. Only stack traces have several lines.
  const message = error.code === 'bug' ? cleanText(error.message) : cleanLine(shortened(error.message, redactor));
  const lines = [`${style.red(style.bold('Error:'))} ${message}`];
  for (const issue of error.issues.slice(0, LISTED_ISSUES)) lines.push(`  ${issueLine(issue, style, redactor)}`);
  const more = unlisted(error, '-o json');
  if (more !== undefined) lines.push(`  ${more}`);
  lines.push(...error.hints.map((hint) => cleanLine(shortened(hintLine(hint), redactor))));
  if (error.request) {
    const { method, path, id } = error.request;
    const status = error.status === undefined ? '' : `status ${error.status}, `;
    lines.push(style.dim(cleanLine(`${method} ${shortened(path, redactor)} (${status}request ${id})`)));
  }
  return redactor.text(`${lines.join('\n')}\n`);
}

/** Returns the number of issues that are not shown, and how to see them. Returns undefined if all issues are shown. */
function unlisted({ issues, issuesOmitted }: KnownError, json: string): string | undefined {
  const more = issues.length + issuesOmitted - LISTED_ISSUES;
  if (more <= 0) return undefined;
  return `… and ${more} more; ${json} lists ${issuesOmitted === 0 ? 'them all' : `the first ${issues.length}`}`;
}

/** Returns `file:line:column: path: message`, without unknown parts. */
function issueLine(issue: Issue, style: Style, redactor: Redactor): string {
  const place = placeOf(issue);
  const parts = [
    place === '' ? '' : style.cyan(cleanLine(place)),
    cleanLine(shortened(issue.path, redactor)),
    cleanLine(shortened(issue.message, redactor)),
  ];
  return parts.filter((part) => part !== '').join(': ');
}

/** Returns the error as Markdown, with its code. Ends in a newline. */
export function failureMarkdown(error: KnownError, exitCode: number, redactor: Redactor): string {
  // Mask text before escaping it: an escaped secret would not be recognized.
  const said = (text: string): string => redactor.text(shortened(text, redactor));
  const issues = error.issues.slice(0, LISTED_ISSUES).map(({ path, message, file, ...place }) => {
    const named = file === undefined ? place : { ...place, file: said(file) };
    return toIssueItem({ ...named, path: said(path), message: said(message) });
  });
  const more = unlisted(error, '`-o json`');
  if (more !== undefined) issues.push(`- ${more}`);
  const { request, status } = error;
  const facts = `${status === undefined ? '' : `status ${status}, `}request ${request?.id ?? ''}`;
  const blocks = [
    `### Failed: \`${error.code}\` (exit code ${exitCode})`,
    toMarkdownLine(said(error.message)),
    issues.join('\n'),
    ...error.hints.map((hint) => toMarkdownLine(said(hintLine(hint)))),
    request ? toMarkdownLine(said(`${request.method} ${request.path} (${facts})`)) : '',
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** Returns one JSON document without absent parts, but always with `issues`. Ends in a newline. */
export function failureJson(error: KnownError, redactor: Redactor): string {
  const document = {
    error: {
      code: error.code,
      message: shortened(error.message, redactor),
      hint: error.hint === undefined ? undefined : shortened(error.hint, redactor),
      status: error.status,
      request: error.request && {
        id: error.request.id,
        method: error.request.method,
        path: shortened(error.request.path, redactor),
      },
      issues: error.issues.map(({ path, line, column, message, file }) => ({
        path: shortened(path, redactor),
        line,
        column,
        message: shortened(message, redactor),
        file,
      })),
      ...(error.issuesOmitted > 0 && { issues_omitted: error.issuesOmitted }),
      ...error.details,
    },
  };
  return `${redactor.text(escapeJson(stringifyJson(document)))}\n`;
}

/** Returns the error for an unexpected failure. With `--debug`, the error includes the stack. */
export function bugError(error: unknown, debug: boolean): KnownError {
  const cause = error instanceof Error ? error : new Error(String(error));
  const stack = debug && cause.stack !== undefined ? `\n${cause.stack}` : '';
  return new KnownError({
    code: 'bug',
    message: `This is a bug in cdpadm: ${cause.message}${stack}`,
    hint: debug ? 'Report it with the lines above.' : 'Run the command again with --debug, and report the output.',
    cause: error,
  });
}
