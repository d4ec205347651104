// One request and its answer: body, faults, credentials, the route, the log. The only place that writes an answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { Handler, Platform } from '../area.ts';
import { authenticate, type Caller } from './auth.ts';
import { refuse } from '../dsr/answers.ts';
import { delayOf, type Fault } from './faults.ts';
import { bodyFromWire, queryFromWire, replyToWire } from './names-edge.ts';
import { type Answer, answer, codedRefusal, PlatformError, refusal } from './platform-error.ts';
import { PeerGone, readBody } from './request-body.ts';
import { tellExchange } from './seen-exchange.ts';

/** Where a request goes. */
export interface Target {
  endpoint: Endpoint;
  handle: Handler<Endpoint>;
  params: Record<string, string>;
}

/** Carries one request out and answers it; no target is a path that nobody knows. */
export type Exchange = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  target: Target | undefined,
) => Promise<void>;

/** `wait` pauses for milliseconds and rejects when the platform closes meanwhile. */
export function createExchange(platform: Platform, wait: (ms: number) => Promise<void>): Exchange {
  const { clock, faults, log } = platform;

  async function carryOut(
    incoming: IncomingMessage,
    fault: Fault | undefined,
    target: Target | undefined,
    body: Buffer,
  ) {
    if (fault?.delay !== undefined) await wait(delayOf(fault));
    if (fault?.drop === 'before') return undefined;
    if (fault?.status !== undefined) return faultAnswer(fault.status, fault.retry_after, target);
    return handle(platform, incoming, target, body);
  }

  return async (incoming, outgoing, target) => {
    const { path, search } = splitUrl(incoming);
    const at = clock.now();
    const method = incoming.method ?? '';
    const record = (status: number | null): void => {
      log.add({ at, method, path: path + search, status });
    };
    const tell = (body: Buffer, result: Answer): void =>
      tellExchange(() => ({
        platform: platform.baseUrl(),
        hasOwnWords: !platform.names.empty,
        method,
        url: path + search,
        headers: incoming.headers,
        body,
        answer: { ...result, headers: headersOf(result) },
      }));
    // Who may not send at all is told so before anything is said of the body.
    const refuseUnread = (error: unknown): never => {
      if (target && !(error instanceof PeerGone)) identify(platform, incoming, target);
      throw error;
    };
    try {
      const body = hasBody(incoming) ? await readBody(incoming).catch(refuseUnread) : Buffer.alloc(0);
      const fault = faults.strike(method, path);
      const result = await carryOut(incoming, fault, target, body);
      record(result?.status ?? null);
      // What a fault answered is no word of the platform.
      if (result && fault?.status === undefined) tell(body, result);
      if (!result || fault?.drop === 'after') incoming.socket.destroy();
      else write(outgoing, result, target && new Date(clock.now()).toUTCString());
    } catch (error) {
      if (error instanceof PeerGone) {
        record(null);
        return;
      }
      const result = refusalAnswer(error);
      record(result.status);
      // Refused before its body was read whole.
      tell(Buffer.alloc(0), result);
      write(outgoing, result);
    }
  };
}

/** Throws 401 or 403. */
function identify({ tokens, directory }: Platform, { headers }: IncomingMessage, { endpoint }: Target): Caller {
  return authenticate(endpoint.auth, headers.authorization, tokens, directory);
}

async function handle(
  platform: Platform,
  incoming: IncomingMessage,
  target: Target | undefined,
  body: Buffer,
): Promise<Answer> {
  try {
    if (!target) throw refusal(404, 'Not found');
    const { headers } = incoming;
    const caller = identify(platform, incoming, target);
    const { names } = platform;
    const result = await target.handle({
      params: target.params,
      query: queryFromWire(new URLSearchParams(splitUrl(incoming).search), target.endpoint, names),
      header: (name) => firstOf(headers[name]),
      body: bodyFromWire(body, target.endpoint, names),
      raw: body,
      caller,
    });
    return replyToWire(result, target.endpoint, names);
  } catch (error) {
    return refusalAnswer(error);
  }
}

/** A refusal as an answer; anything else that was thrown is a bug of ours and says so. */
export function refusalAnswer(error: unknown): Answer {
  if (error instanceof PlatformError) return answer(error.status, error.body, error.headers);
  const bug = refusal(500, `The embedded platform failed: ${error instanceof Error ? error.message : String(error)}`);
  return answer(bug.status, bug.body);
}

export function write(outgoing: ServerResponse, result: Answer, date?: string): void {
  if (date !== undefined) outgoing.setHeader('date', date);
  outgoing.writeHead(result.status, headersOf(result)).end(result.text);
}

/** What is written of an answer besides its date. */
function headersOf({ status, text, headers }: Answer): Record<string, string> {
  if (text === undefined) return { ...(status !== 204 && { 'content-length': '0' }), ...headers };
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)), ...headers };
}

/** In the words of the area that it befalls: C has an envelope of its own, E and F have another. */
function faultAnswer(status: number, retryAfter: number | string | undefined, target: Target | undefined): Answer {
  const message = 'A fault that was asked for';
  const { body } = refusalIn(target?.endpoint.service, status, message);
  return answer(status, body, retryAfter === undefined ? undefined : { 'retry-after': String(retryAfter) });
}

function refusalIn(service: Endpoint['service'] | undefined, status: number, message: string): PlatformError {
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

/** A GET that says nothing of a body has none: no need to wait for its end. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** The path as it was sent, trailing slash and all, and the query with its `?`. */
export function splitUrl({ url = '' }: IncomingMessage): { path: string; search: string } {
  // A client that takes us for a proxy sends the whole address.
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const end = target.indexOf('?');
  return end === -1 ? { path: target, search: '' } : { path: target.slice(0, end), search: target.slice(end) };
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
