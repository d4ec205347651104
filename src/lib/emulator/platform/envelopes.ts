// The envelope in which each service refuses (specification, "Errors"): C has one of its own, E and F share another.
import type { Service } from '../../contract/endpoint.ts';
import { DSR_FAILURES, type Failure } from '../../contract/failures.ts';
import { PlatformError, refusal } from '../wire/platform-error.ts';

const CODES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  413: 'PAYLOAD_TOO_LARGE',
  429: 'TOO_MANY_REQUESTS',
  503: 'SERVICE_UNAVAILABLE',
};

/** A refusal in the shape of E, which F shares (specification, "Errors", E). */
export function codedRefusal(status: number, messages: string | string[], headers?: Record<string, string>) {
  const code = CODES[status] ?? (status < 500 ? 'BAD_REQUEST' : 'SERVER_ERROR');
  const list = typeof messages === 'string' ? [messages] : messages;
  return new PlatformError(status, { errors: list.map((message) => ({ code, message })) }, headers);
}

const REASONS = new Map<Failure, string>(
  Object.entries(DSR_FAILURES).map(([name, failure]) => [
    failure,
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  ]),
);

/** A refusal in the envelope of C; `details` are sentences on what is wrong in this request. */
export function refuse(failure: Failure, details: string[] = [], headers?: Record<string, string>): PlatformError {
  const messages = details.length === 0 ? [failure.message] : details;
  const reason = REASONS.get(failure) ?? 'refused';
  const errors = messages.map((message) => ({ domain: 'subject_request', reason, message }));
  return new PlatformError(failure.status, { code: failure.status, message: failure.message, errors }, headers);
}

/** A refusal in the envelope of a service; without one, in that of whatever has none of its own. */
export function refusalIn(service: Service | undefined, status: number, message: string): PlatformError {
  switch (service) {
    case 'dsr':
      return refuse({ status, message });
    case 'seeding':
    case 'identity':
      return codedRefusal(status, message);
    default:
      return refusal(status, message);
  }
}
