// How a route refuses: thrown, and written as an answer in one place (`exchange.ts`).
import { stringifyJson } from '../../kernel/json.ts';

/** What a route answers. `text` is JSON; absent when the answer has no body. */
export interface Answer {
  status: number;
  text?: string;
  headers?: Readonly<Record<string, string>>;
}

/** A refusal of the platform; `body` is its JSON as the area writes errors. */
export class PlatformError extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    super(`the platform answers ${status}`);
    this.name = 'PlatformError';
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A refusal in the shape of A, B and D, of the token call and of whatever has no shape of its own (decision: D5). */
export function refusal(status: number, messages: string | string[], headers?: Record<string, string>): PlatformError {
  const list = typeof messages === 'string' ? [messages] : messages;
  return new PlatformError(status, { statusCode: status, errors: list.map((message) => ({ message })) }, headers);
}

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

/** An answer with a JSON body. */
export function answer(status: number, body: unknown, headers?: Record<string, string>): Answer {
  return { status, text: stringifyJson(body), ...(headers && { headers }) };
}
