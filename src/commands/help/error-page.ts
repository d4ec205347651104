// `help error CODE`: what an error means, why it happens and how to fix it.
import type { ErrorEntry } from '../../lib/errors/entry.ts';
import { type ErrorCode, ERRORS } from '../../lib/errors/registry.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { EXIT } from '../../lib/runtime/exit-codes.ts';
import { nearest } from '../../lib/kernel/nearest.ts';

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** Throws KnownError usage (2) for a code that does not exist. */
export function errorPage(code: string | undefined): string {
  const entry = code === undefined ? undefined : (ERRORS as Readonly<Record<string, ErrorEntry>>)[code];
  if (code !== undefined && entry) {
    const { exit, explanation, fix, summary } = entry;
    return `${code}\n\n${summary} ${explanation}\n\n${fix}\n\nExit code: ${EXIT[exit]}\n`;
  }
  const guess = code === undefined ? undefined : nearest(code, ERROR_CODES);
  throw usageError(code === undefined ? 'Which error is missing.' : `There is no error \`${code}\`.`, {
    text: `${guess === undefined ? '' : `Did you mean \`${guess}\`? `}To list all:`,
    command: 'cdpadm help exit-codes',
  });
}
