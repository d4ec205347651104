// An HTTP message as Node has it: its address, its headers, and the answer that is written.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './platform-error.ts';

export function write(outgoing: ServerResponse, result: Answer, date?: string): void {
  if (date !== undefined) outgoing.setHeader('date', date);
  outgoing.writeHead(result.status, headersOf(result)).end(result.text);
}

/** What is written of an answer besides its date. */
export function headersOf({ status, text, headers }: Answer): Record<string, string> {
  if (text === undefined) return { ...(status !== 204 && { 'content-length': '0' }), ...headers };
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)), ...headers };
}

/** A GET that says nothing of a body has none: no need to wait for its end. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** The path as it was sent, trailing slash and all, and the query with its `?`. */
export function splitUrl({ url = '' }: IncomingMessage): { path: string; search: string } {
  // A client that takes us for a proxy sends the whole address.
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const end = target.indexOf('?');
  return end === -1 ? { path: target, search: '' } : { path: target.slice(0, end), search: target.slice(end) };
}

export function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
