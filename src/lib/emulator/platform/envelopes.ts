// Error envelope of each service (specification, "Errors"): area C has its own, and areas E and F share another.
import { STATUS_CODES } from 'node:http';
import type { Service } from '../../contract/endpoint.ts';
import { DSR_FAILURES, type Failure } from '../../contract/failures.ts';
import { type Answer, answer, PlatformError, rejection } from '../wire/platform-error.ts';

/** DSR failure -> `reason`, such as `not_pending`. */
const REASONS = new Map<Failure, string>(
  Object.entries(DSR_FAILURES).map(([name, failure]) => [
    failure,
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  ]),
);

/** Returns the response for an error in a service. An unexpected error becomes a 500 with its message. */
export function rejectionAnswer(error: unknown, service?: Service): Answer {
  const { failure, details, headers } = error instanceof PlatformError ? error : unexpected(error);
  const { status, message } = failure;
  const own = details.length === 0 ? [message] : details;
  switch (service) {
    case 'dsr': {
      const reason = REASONS.get(failure) ?? 'refused';
      const errors = own.map((detail) => ({ domain: 'subject_request', reason, message: detail }));
      return answer(status, { code: status, message, errors }, headers);
    }
    case 'seeding':
    case 'identity': {
      // Such as `BAD_REQUEST`.
      const code = (STATUS_CODES[status] ?? 'Error').toUpperCase().replace(/\W+/g, '_');
      return answer(status, { errors: own.map((detail) => ({ code, message: detail })) }, headers);
    }
    default: {
      const messages = details.length === 0 ? [message] : details.map((detail) => `${message}: ${detail}`);
      return answer(status, { statusCode: status, errors: messages.map((text) => ({ message: text })) }, headers);
    }
  }
}

function unexpected(error: unknown): PlatformError {
  return rejection(500, `The embedded platform failed: ${error instanceof Error ? error.message : String(error)}`);
}
