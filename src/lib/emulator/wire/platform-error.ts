// Responses and errors of routes, and their conversion to HTTP messages.
import type { Failure } from '../../contract/failures.ts';
import { stringifyJson } from '../../kernel/json.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A response. `text` is JSON unless `headers` has another type, and absent if there is no body. */
export interface Answer {
  status: number;
  text?: string;
  headers?: Readonly<Record<string, string>>;
}

/** An error response. The service that the request belongs to determines its body (see `envelopes.ts`). */
export class PlatformError extends Error {
  readonly failure: Failure;
  /** Sentences about this request. */
  readonly details: readonly string[];
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(failure: Failure, details: readonly string[], headers: Readonly<Record<string, string>> | undefined) {
    super(`the platform responds with ${failure.status}`);
    this.failure = failure;
    this.details = details;
    this.headers = headers;
  }
}

export function reject(
  failure: Failure,
  details: string | readonly string[] = [],
  headers?: Readonly<Record<string, string>>,
): PlatformError {
  return new PlatformError(failure, typeof details === 'string' ? [details] : details, headers);
}

export function rejection(status: number, message: string, headers?: Readonly<Record<string, string>>): PlatformError {
  return reject({ status, message }, [], headers);
}

export function answer(status: number, body: unknown, headers?: Readonly<Record<string, string>>): Answer {
  return { status, text: stringifyJson(body), ...(headers && { headers }) };
}

export function write(outgoing: ServerResponse, result: Answer, date?: string): void {
  if (date !== undefined) outgoing.setHeader('date', date);
  outgoing.writeHead(result.status, headersOf(result)).end(result.text);
}

/** Returns the headers of a response, without its date. */
export function headersOf({ status, text, headers }: Answer): Record<string, string> {
  if (text === undefined) return { ...(status !== 204 && { 'content-length': '0' }), ...headers };
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)), ...headers };
}

/** A request without a length or a transfer encoding has no body, so there is no need to wait for one. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Returns the path as sent, and the query with its `?`. */
export function splitUrl({ url = '' }: IncomingMessage): { path: string; search: string } {
  // A client that uses the platform as a proxy sends the complete address.
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const end = target.indexOf('?');
  return end === -1 ? { path: target, search: '' } : { path: target.slice(0, end), search: target.slice(end) };
}

export function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
