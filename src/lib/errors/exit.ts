// How an error ends the process: as the registry says of its code, or as a cause of its own does.
import { KnownError, type KnownErrorOptions } from '../kernel/errors.ts';
import type { ExitName } from './entry.ts';
import { type ErrorCode, ERRORS } from './registry.ts';

/** An error that ends the process as `exit` says, not as the registry says of its code. */
export class CliError extends KnownError {
  readonly exit: ExitName;

  constructor(options: KnownErrorOptions & { exit: ExitName }) {
    super(options);
    this.name = 'CliError';
    this.exit = options.exit;
  }

  override with(change: Parameters<KnownError['with']>[0]): CliError {
    return new CliError({ ...this.parts, exit: this.exit, ...change, cause: this });
  }
}

/** The same failure, ending the process in another way. */
export function endingAs(error: KnownError, exit: ExitName): CliError {
  return new CliError({ ...error.parts, exit, cause: error });
}

/** How the process ends with this error. */
export function exitOf(error: KnownError): ExitName {
  if (error instanceof CliError) return error.exit;
  return Object.hasOwn(ERRORS, error.code) ? ERRORS[error.code as ErrorCode].exit : 'failed';
}
