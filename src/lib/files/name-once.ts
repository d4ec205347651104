// Gives a finished temporary file its name, unlike a rename never in the place of what has the name already.
import { linkSync, rmSync } from 'node:fs';
import { type KnownError, systemErrorCode } from '../kernel/errors.ts';
import { fail } from '../errors/fail.ts';

/** Both paths lie in one folder. Throws usage (2) when the name is taken; the temporary file then stays. */
export function nameOnce(temporary: string, path: string, hint?: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    throw systemErrorCode(error) === 'EEXIST' ? nameTaken(path, hint) : error;
  }
  rmSync(temporary, { force: true });
}

/** The refusal to write over a file. */
export function nameTaken(path: string, hint = 'Move it away, or give another name.'): KnownError {
  return fail('usage', {
    message: `${path} is there already and is not replaced.`,
    hint,
  });
}
