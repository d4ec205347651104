// Error envelope of each service (specification, "Errors"): area C has its own, and areas E and F share another.
import { STATUS_CODES } from 'node:http';
import type { Service } from '../../contract/endpoint.ts';
import { DSR_FAILURES, type Failure } from '../../contract/failures.ts';
import { asRefusal, PlainRefusal, PlatformError } from '../wire/platform-error.ts';

/** Creates an error for area E or F, with codes such as `BAD_REQUEST` (specification, "Errors", E). */
export function codedRefusal(status: number, messages: string | string[], headers?: Readonly<Record<string, string>>) {
  const code = (STATUS_CODES[status] ?? 'Error').toUpperCase().replace(/\W+/g, '_');
  const list = typeof messages === 'string' ? [messages] : messages;
  return new PlatformError(status, { errors: list.map((message) => ({ code, message })) }, headers);
}

const REASONS = new Map<Failure, string>(
  Object.entries(DSR_FAILURES).map(([name, failure]) => [
    failure,
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  ]),
);

/** Creates an error for area C. `details` are sentences about this request. */
export function refuse(
  failure: Failure,
  details: string[] = [],
  headers?: Readonly<Record<string, string>>,
): PlatformError {
  const messages = details.length === 0 ? [failure.message] : details;
  const reason = REASONS.get(failure) ?? 'refused';
  const errors = messages.map((message) => ({ domain: 'subject_request', reason, message }));
  return new PlatformError(failure.status, { code: failure.status, message: failure.message, errors }, headers);
}

export function inEnvelope(service: Service | undefined, error: unknown): PlatformError {
  const refused = asRefusal(error);
  if (!(refused instanceof PlainRefusal)) return refused;
  const { headers, messages, status } = refused;
  switch (service) {
    case 'dsr':
      return refuse({ status, message: messages[0] ?? '' }, [...messages], headers);
    case 'seeding':
    case 'identity':
      return codedRefusal(status, [...messages], headers);
    default:
      return refused;
  }
}
