// Creates errors with a code from the registry, and finds their exit codes.
import { KnownError, type KnownErrorOptions } from '../kernel/errors.ts';
import type { ExitName } from './entry.ts';
import { type ErrorCode, ERRORS } from './registry.ts';

export type FailureParts = Omit<KnownErrorOptions, 'code'> & { exit?: ExitName };

export function causedBy(cause: KnownError | undefined): Pick<FailureParts, 'status' | 'request' | 'cause'> {
  return cause ? { status: cause.status, request: cause.request, cause } : {};
}

/** Returns an error with this code. `exit` overrides the exit code in the registry. */
export function fail(code: ErrorCode, { exit, ...options }: FailureParts): KnownError {
  return exit === undefined ? new KnownError({ ...options, code }) : new CliError({ ...options, code, exit });
}

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

export function endingAs(error: KnownError, exit: ExitName): CliError {
  return new CliError({ ...error.parts, exit, cause: error });
}

export function exitOf(error: KnownError): ExitName {
  if (error instanceof CliError) return error.exit;
  return Object.hasOwn(ERRORS, error.code) ? ERRORS[error.code as ErrorCode].exit : 'failed';
}

/** Returns the conflict (6) for a plan that was not reviewed. `diff` is the command that saves a new plan, if any. */
export function planChanged(expected: string, found: string, diff: string | undefined): KnownError {
  const why = 'The platform or a file changed after the review, or the plan was already applied.';
  return fail('plans.changed', {
    message: `The plan is now ${found}, not the expected ${expected}. Nothing was sent.`,
    hint:
      diff === undefined
        ? `${why} Review a new dry run.`
        : { text: `${why} Save a new plan, and review it:`, command: diff },
  });
}
