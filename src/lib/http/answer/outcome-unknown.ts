// The failure that leaves open whether the platform carried out a request.
import { CliError, type CliErrorOptions, EXIT } from '../../kernel/errors.ts';

/** Thrown by writes. `workflows/confirm-write.ts` resolves it by a read; without one the outcome stays unknown (exit 8). */
export class OutcomeUnknownError extends CliError {
  constructor(options: Omit<CliErrorOptions, 'code' | 'exit'> & Partial<Pick<CliErrorOptions, 'exit'>>) {
    super({ exit: EXIT.network, ...options, code: 'http.outcome_unknown' });
    this.name = 'OutcomeUnknownError';
  }
}
