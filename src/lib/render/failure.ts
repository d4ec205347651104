// An error as a screen for people and as JSON for programs: the only place where errors become text.
import { CliError, type Issue } from '../kernel/errors.ts';
import { stringifyJson } from '../kernel/json.ts';
import type { Redactor } from '../kernel/redact.ts';
import { cleanLine, cleanText, escapeJson } from './clean.ts';
import type { Style } from './style.ts';

/** More issues than this are counted, not listed; JSON holds them all. */
const LISTED_ISSUES = 50;

/** What is wrong, where, and what to do; the request it belongs to last. Ends in a line feed. */
export function failureScreen(error: CliError, style: Style, redactor: Redactor): string {
  // A name in a message begins no line: it might look like one of a plan. A stack is ours, and has several.
  const message = error.code === 'bug' ? cleanText(error.message) : cleanLine(error.message);
  const lines = [`${style.red(style.bold('Error:'))} ${message}`];
  for (const issue of error.issues.slice(0, LISTED_ISSUES)) lines.push(`  ${issueLine(issue, style)}`);
  const more = error.issues.length - LISTED_ISSUES;
  if (more > 0) lines.push(`  … and ${more} more; -o json lists them all`);
  lines.push(...error.hintLines.map(cleanLine));
  if (error.request) {
    const { method, path, id } = error.request;
    const status = error.status === undefined ? '' : `status ${error.status}, `;
    lines.push(style.dim(cleanLine(`${method} ${path} (${status}request ${id})`)));
  }
  return redactor.text(`${lines.join('\n')}\n`);
}

/** `file:line:column: path: sentence`, each part as far as it is known. */
function issueLine(issue: Issue, style: Style): string {
  const place = [issue.file, issue.line, issue.column].filter((part) => part !== undefined).join(':');
  const parts = [place === '' ? '' : style.cyan(cleanLine(place)), cleanLine(issue.path), cleanLine(issue.message)];
  return parts.filter((part) => part !== '').join(': ');
}

/** One JSON document; absent parts are left out, `issues` is always there. Ends in a line feed. */
export function failureJson(error: CliError, redactor: Redactor): string {
  const document = {
    error: {
      code: error.code,
      message: error.message,
      hint: error.hint,
      status: error.status,
      request: error.request && { id: error.request.id, method: error.request.method, path: error.request.path },
      issues: error.issues.map(({ path, line, column, message, file }) => ({ path, line, column, message, file })),
      ...error.details,
    },
  };
  return `${redactor.text(escapeJson(stringifyJson(document)))}\n`;
}

/** The screen of a failure that nobody expected; the stack only under `--debug`. */
export function bugError(error: unknown, debug: boolean): CliError {
  const cause = error instanceof Error ? error : new Error(String(error));
  const stack = debug && cause.stack !== undefined ? `\n${cause.stack}` : '';
  return new CliError({
    code: 'bug',
    message: `This is a bug in cdpadm: ${cause.message}${stack}`,
    hint: debug
      ? 'Please report it with the lines above.'
      : 'Run it again with --debug to see where, and please report it.',
    exit: 1,
    cause: error,
  });
}
