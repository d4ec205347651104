// Handles one request: body, faults, credentials, route, log. Publishes the exchange within this process, for tests.
import type { IncomingMessage, ServerResponse, IncomingHttpHeaders } from 'node:http';
import type { Endpoint, Service } from '../../contract/endpoint.ts';
import type { Handler, Platform } from './area.ts';
import { authenticate } from './auth.ts';
import { delayOf, type Fault } from '../wire/faults.ts';
import { bodyFromWire, queryFromWire, replyToWire } from '../wire/names-edge.ts';
import {
  type Answer,
  firstOf,
  hasBody,
  headersOf,
  type PlatformError,
  rejection,
  splitUrl,
  write,
} from '../wire/platform-error.ts';
import { PeerGone, readBody } from '../wire/request-body.ts';
import { rejectionAnswer } from './envelopes.ts';
import { channel } from 'node:diagnostics_channel';

/** An exchange, as sent on the wire. */
export interface SeenExchange {
  platform: string;
  /** True if bodies and parameters use a deployment's own words. */
  hasOwnWords: boolean;
  method: string;
  /** Path and query, as sent. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  answer: Answer;
}

/** Channel that receives each `SeenExchange` before its response is sent. Fault responses are omitted. */
export const SEEN_EXCHANGES = 'cdpadm.emulator.exchange';

const seen = channel(SEEN_EXCHANGES);

/** Where a request goes: to a handler or, for an unknown path or method, to an error of the path's service. */
export type Destination =
  | { endpoint: Endpoint; handle: Handler<Endpoint>; params: Record<string, string> }
  | { service: Service | undefined; rejected: PlatformError };

export type Exchange = (incoming: IncomingMessage, outgoing: ServerResponse, target: Destination) => Promise<void>;

const NO_BODY = Buffer.alloc(0);

/** The platform was reset while a fault delayed the request, so the request is dropped. */
class Superseded extends Error {}

/** `wait` resolves after `ms`, and rejects when the platform closes. */
export function createExchange(
  platform: Platform & { resets(): number },
  wait: (ms: number) => Promise<void>,
): Exchange {
  const { clock, faults, log, resets } = platform;

  async function carryOut(incoming: IncomingMessage, fault: Fault | undefined, target: Destination, body: Buffer) {
    if (fault?.delay !== undefined) {
      const before = resets();
      await wait(delayOf(fault));
      // The request was sent to the state before the reset.
      if (resets() !== before) throw new Superseded();
    }
    if (fault?.drop === 'before') return undefined;
    if (fault?.status !== undefined) {
      const headers = fault.retry_after === undefined ? undefined : { 'retry-after': String(fault.retry_after) };
      return rejectedAnswer(target, rejection(fault.status, 'Injected fault', headers));
    }
    return handle(platform, incoming, target, body);
  }

  return async (incoming, outgoing, target) => {
    const { path, search } = splitUrl(incoming);
    const { method = '', headers } = incoming;
    const at = clock.now();
    const url = path + search;
    const record = (body: Buffer, answer: Answer | undefined, fault?: Fault): void => {
      log.add({ at, method, path: url, headers, body, answer });
      // A response from a fault is not the platform's own response.
      if (!answer || fault?.status !== undefined || !seen.hasSubscribers) return;
      const about = { platform: platform.baseUrl(), hasOwnWords: !platform.names.empty, method, url };
      const shown = { ...answer, headers: headersOf(answer) };
      seen.publish({ ...about, headers, body, answer: shown } satisfies SeenExchange);
    };
    // Authenticate before reporting a problem with the body.
    const rejectUnread = (error: unknown): never => {
      if ('handle' in target && !(error instanceof PeerGone)) {
        authenticate(target.endpoint.auth, headers.authorization, platform);
      }
      throw error;
    };
    try {
      const body = hasBody(incoming) ? await readBody(incoming).catch(rejectUnread) : NO_BODY;
      const fault = faults.strike(method, path);
      const result = await carryOut(incoming, fault, target, body);
      record(body, result, fault);
      if (!result || fault?.drop === 'after') incoming.socket.destroy();
      else write(outgoing, result, 'handle' in target ? new Date(clock.now()).toUTCString() : undefined);
    } catch (error) {
      if (error instanceof Superseded) return void incoming.socket.destroy();
      // The body could not be read, or the platform is closing.
      const result = error instanceof PeerGone ? undefined : rejectedAnswer(target, error);
      record(NO_BODY, result);
      if (result) write(outgoing, result);
    }
  };
}

async function handle(
  platform: Platform,
  incoming: IncomingMessage,
  target: Destination,
  body: Buffer,
): Promise<Answer> {
  try {
    if ('rejected' in target) throw target.rejected;
    const { headers } = incoming;
    const caller = authenticate(target.endpoint.auth, headers.authorization, platform);
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
    return replyToWire(rejectedAnswer(target, error), undefined, platform.names);
  }
}

function rejectedAnswer(target: Destination, error: unknown): Answer {
  return rejectionAnswer(error, 'endpoint' in target ? target.endpoint.service : target.service);
}
