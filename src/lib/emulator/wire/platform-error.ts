// Responses and errors of routes, and their conversion to HTTP messages.
import { stringifyJson } from '../../kernel/json.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A response. `text` is JSON unless `headers` has another type, and absent if there is no body. */
export interface Answer {
  status: number;
  text?: string;
  headers?: Readonly<Record<string, string>>;
}

/** An error response. `body` is sent as JSON. */
export class PlatformError extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    super(`the platform responds with ${status}`);
    this.name = 'PlatformError';
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** An error in the form that areas A, B and D use (decision: D5). Other services replace it with their own envelope. */
export class PlainRefusal extends PlatformError {
  readonly messages: readonly string[];

  constructor(status: number, messages: readonly string[], headers?: Record<string, string>) {
    super(status, { statusCode: status, errors: messages.map((message) => ({ message })) }, headers);
    this.messages = messages;
  }
}

export function refusal(status: number, messages: string | string[], headers?: Record<string, string>): PlainRefusal {
  return new PlainRefusal(status, typeof messages === 'string' ? [messages] : messages, headers);
}

export function answer(status: number, body: unknown, headers?: Record<string, string>): Answer {
  return { status, text: stringifyJson(body), ...(headers && { headers }) };
}

/** Converts a thrown error to an error response. An unexpected error becomes a 500 with its message. */
export function asRefusal(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  return refusal(500, `The embedded platform failed: ${error instanceof Error ? error.message : String(error)}`);
}

export function refusalAnswer(error: unknown): Answer {
  const { body, headers, status } = asRefusal(error);
  return answer(status, body, headers);
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
