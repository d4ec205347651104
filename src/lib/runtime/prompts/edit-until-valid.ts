// Reopens the user's editor until the text is valid, and shows the errors as comments above the text.
import { KnownError } from '../../kernel/errors.ts';
import { cleanLine } from '../../render/clean.ts';
import type { Context } from '../context.ts';
import type { EditedFile } from './editor.ts';

/** Marks our comment lines, which are removed before the text is checked. */
const HEADER_MARK = '#! ';

/**
 * Returns the result of `check`, or undefined if the user changed nothing or emptied the file. `check` throws
 * KnownError for invalid text. Without a terminal, or if the same text is saved twice, that error ends the edit, so
 * that no script loops forever.
 */
export async function editUntilValid<T>(
  ctx: Context,
  file: EditedFile,
  original: string,
  check: (text: string) => Promise<T>,
): Promise<T | undefined> {
  let shown = original;
  let previous: string | undefined;
  for (;;) {
    const text = (await file.edit(shown))
      .split('\n')
      .filter((line) => !line.startsWith(HEADER_MARK.trimEnd()))
      .join('\n');
    if (text === original || isBlank(text)) return undefined;
    try {
      return await check(text);
    } catch (error) {
      if (!(error instanceof KnownError) || !ctx.prompt.possible || text === previous) throw error;
      previous = text;
      shown = `${errorHeader(error)}${text}`;
      for (const line of errorLines(error)) ctx.out.warn(line);
    }
  }
}

/** Returns the errors, with line numbers that account for the header shown above the text. */
function errorLines(error: KnownError): string[] {
  const issues = error.issues.length > 0 ? error.issues : [{ path: '', message: error.message }];
  const extra = issues.length + 2;
  const lines = issues.map(
    ({ line, column, path, message }) =>
      `line ${(line ?? 1) + extra}:${column ?? 1}: ${path === '' ? '' : `${path}: `}${message}`,
  );
  return ['The text is not valid yet. Fix these errors, or empty the file to cancel:', ...lines];
}

/** Returns the errors as comments. `cleanLine` keeps each error on one line. */
function errorHeader(error: KnownError): string {
  return [...errorLines(error), ''].map((line) => `${HEADER_MARK}${cleanLine(line)}\n`).join('');
}

function isBlank(text: string): boolean {
  return text.split('\n').every((line) => line.trim() === '' || line.trimStart().startsWith('#'));
}
