// An error as a screen for people and as JSON for programs: the only place where errors become text.
import { KnownError, type Issue, placeOf } from '../kernel/errors.ts';
import { hintLine } from '../kernel/hint.ts';
import { stringifyJson } from '../kernel/json.ts';
import type { Redactor } from '../kernel/redact.ts';
import { cleanLine, cleanText, escapeJson } from './clean.ts';
import { toIssueItem, toMarkdownLine } from './markdown.ts';
import type { Style } from './style.ts';

/** More issues than this are counted, not listed; JSON holds more. */
const LISTED_ISSUES = 50;

/** A sentence that is longer quotes something that is no name: a file in one line, a text of megabytes. */
const LONGEST_TEXT = 4000;

/** Half of a secret would not be known for one: it is masked before anything is cut. */
function shortened(text: string, redactor: Redactor): string {
  if (text.length <= LONGEST_TEXT) return text;
  const masked = redactor.text(text);
  return `${masked.slice(0, LONGEST_TEXT / 2)} … (${text.length} characters) … ${masked.slice(-LONGEST_TEXT / 4)}`;
}

/** What is wrong, where, and what to do; the request it belongs to last. Ends in a line feed. */
export function failureScreen(error: KnownError, style: Style, redactor: Redactor): string {
  // A name in a message begins no line: it might look like one of a plan. A stack is ours, and has several.
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

/** How many issues a screen does not show, and where to see more of them. Undefined where it shows all. */
function unlisted({ issues, issuesOmitted }: KnownError, json: string): string | undefined {
  const more = issues.length + issuesOmitted - LISTED_ISSUES;
  if (more <= 0) return undefined;
  return `… and ${more} more; ${json} lists ${issuesOmitted === 0 ? 'them all' : `the first ${issues.length}`}`;
}

/** `file:line:column: path: sentence`, each part as far as it is known. */
function issueLine(issue: Issue, style: Style, redactor: Redactor): string {
  const place = placeOf(issue);
  const parts = [
    place === '' ? '' : style.cyan(cleanLine(place)),
    cleanLine(shortened(issue.path, redactor)),
    cleanLine(shortened(issue.message, redactor)),
  ];
  return parts.filter((part) => part !== '').join(': ');
}

/** The same for the page of a run, with the code that programs know it by. Ends in a line feed. */
export function failureMarkdown(error: KnownError, exitCode: number, redactor: Redactor): string {
  // Masked before it is escaped: with a stroke before some of its characters no secret is known for one.
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

/** One JSON document; absent parts are left out, `issues` is always there. Ends in a line feed. */
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

/** The screen of a failure that nobody expected; the stack only under `--debug`. */
export function bugError(error: unknown, debug: boolean): KnownError {
  const cause = error instanceof Error ? error : new Error(String(error));
  const stack = debug && cause.stack !== undefined ? `\n${cause.stack}` : '';
  return new KnownError({
    code: 'bug',
    message: `This is a bug in cdpadm: ${cause.message}${stack}`,
    hint: debug
      ? 'Please report it with the lines above.'
      : 'Run it again with --debug to see where, and please report it.',
    cause: error,
  });
}
