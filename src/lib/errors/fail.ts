// How the program fails: with a code of the registry, which says how the process ends.
import { KnownError, type KnownErrorOptions } from '../kernel/errors.ts';
import type { ExitName } from './entry.ts';
import { CliError } from './exit.ts';
import type { ErrorCode } from './registry.ts';

export type FailureParts = Omit<KnownErrorOptions, 'code'> & { exit?: ExitName };

/** An error with this code. `exit` is for a cause that ends the process in another way than the registry says. */
export function fail(code: ErrorCode, { exit, ...options }: FailureParts): KnownError {
  return exit === undefined ? new KnownError({ ...options, code }) : new CliError({ ...options, code, exit });
}
