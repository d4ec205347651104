// How the program fails: with a code of the registry, which says how the process ends.
import { CliError, type CliErrorOptions, EXIT } from '../kernel/errors.ts';
import { type ErrorCode, ERRORS } from './registry.ts';

/** An error with this code. It ends the process as the registry says; `exit` is for a cause that ends it in its own way. */
export function fail(
  code: ErrorCode,
  options: Omit<CliErrorOptions, 'code' | 'exit'> & Partial<Pick<CliErrorOptions, 'exit'>>,
): CliError {
  return new CliError({ exit: EXIT[ERRORS[code].exit], ...options, code });
}
