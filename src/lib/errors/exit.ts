// The exit code of an error: from the registry, or its own.
import { KnownError, type KnownErrorOptions } from '../kernel/errors.ts';
import type { ExitName } from './entry.ts';
import { type ErrorCode, ERRORS } from './registry.ts';

/** An error with an exit code of its own instead of the registry's. */
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

/** The same error with another exit code. */
export function endingAs(error: KnownError, exit: ExitName): CliError {
  return new CliError({ ...error.parts, exit, cause: error });
}

/** The exit code of this error. */
export function exitOf(error: KnownError): ExitName {
  if (error instanceof CliError) return error.exit;
  return Object.hasOwn(ERRORS, error.code) ? ERRORS[error.code as ErrorCode].exit : 'failed';
}
