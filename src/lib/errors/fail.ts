// Creates errors with a code of the registry.
import { KnownError, type KnownErrorOptions } from '../kernel/errors.ts';
import type { ExitName } from './entry.ts';
import { CliError } from './exit.ts';
import type { ErrorCode } from './registry.ts';

export type FailureParts = Omit<KnownErrorOptions, 'code'> & { exit?: ExitName };

/** The parts of an error that its cause gives. */
export function causedBy(cause: KnownError | undefined): Pick<FailureParts, 'status' | 'request' | 'cause'> {
  return cause ? { status: cause.status, request: cause.request, cause } : {};
}

/** An error with this code. `exit` overrides the exit code of the registry. */
export function fail(code: ErrorCode, { exit, ...options }: FailureParts): KnownError {
  return exit === undefined ? new KnownError({ ...options, code }) : new CliError({ ...options, code, exit });
}
