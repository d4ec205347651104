// The failure that leaves open whether the platform carried out a request.
import type { FailureParts } from '../../errors/fail.ts';
import { CliError } from '../../errors/exit.ts';

/** Thrown by writes. `workflows/confirm-write.ts` resolves it by a read; without one the outcome stays unknown (exit 8). */
export class OutcomeUnknownError extends CliError {
  constructor(options: FailureParts) {
    super({ exit: 'network', ...options, code: 'http.outcome_unknown' });
    this.name = 'OutcomeUnknownError';
  }
}
