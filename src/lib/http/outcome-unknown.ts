// The failure that leaves open whether the request was carried out.
import { CliError, type CliErrorOptions, EXIT } from '../kernel/errors.ts';

/**
 * Thrown for endpoints that must not be sent again blindly (`safety` settle or once). Whoever can read the state
 * settles it; otherwise the user is told that nobody knows.
 */
export class OutcomeUnknownError extends CliError {
  constructor(options: Omit<CliErrorOptions, 'code' | 'exit'> & Partial<Pick<CliErrorOptions, 'exit'>>) {
    super({ exit: EXIT.network, ...options, code: 'http.outcome_unknown' });
    this.name = 'OutcomeUnknownError';
  }
}
