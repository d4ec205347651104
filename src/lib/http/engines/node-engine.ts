// The engine for a few calls, and a probe that sends no credentials. `node:http` and `node:https` load in 2 ms; undici
// takes 70 ms.
import type { Agent, ClientRequest, RequestOptions } from 'node:http';
import { type Engine, followExchange, KEEP_ALIVE_MS, type Progress, trustedContext } from './engine.ts';
import type { Exchange, HttpOptions } from '../types.ts';
import type { TLSSocket } from 'node:tls';

type Send = (exchange: Exchange, progress: Progress) => ClientRequest;

/** `extraAuthorities` is PEM text, trusted in addition to Node's own roots. */
export function createNodeEngine(extraAuthorities: string | undefined): Engine {
  const agents: Agent[] = [];
  const sends = new Map<boolean, Promise<Send>>();

  function senderFor(secure: boolean): Promise<Send> {
    let send = sends.get(secure);
    if (!send) sends.set(secure, (send = load(secure)));
    return send;
  }

  // The agent's timeout only closes idle connections; `followExchange` limits the exchanges.
  async function load(secure: boolean): Promise<Send> {
    const [{ Agent, request }, secureContext] = await Promise.all([
      secure ? import('node:https') : import('node:http'),
      secure ? trustedContext(extraAuthorities) : undefined,
    ]);
    const agent = new Agent({ keepAlive: true, timeout: KEEP_ALIVE_MS, scheduling: 'lifo' });
    agents.push(agent);
    // Set explicitly, because an environment variable could otherwise disable the certificate check.
    const tls = { rejectUnauthorized: true, ...(secureContext && { secureContext }) };
    return (exchange, progress) =>
      attach(
        request({ ...optionsOf(exchange), agent, ...(secure && tls) }),
        secure ? 'secureConnect' : 'connect',
        exchange,
        progress,
      );
  }

  return {
    send: async (exchange) => {
      const send = await senderFor(exchange.origin.startsWith('https:'));
      return followExchange(exchange, (progress) => {
        const request = send(exchange, progress);
        return () => request.destroy();
      });
    },
    close: async () => {
      for (const agent of agents) agent.destroy();
    },
  };
}

function optionsOf({ origin, path, method, headers }: Exchange): RequestOptions {
  const url = new URL(origin);
  return { hostname: url.hostname.replace(/^\[|\]$/g, ''), port: url.port, path, method, headers };
}

function attach(
  request: ClientRequest,
  connected: 'connect' | 'secureConnect',
  exchange: Exchange,
  progress: Progress,
): ClientRequest {
  request.on('socket', (socket) => {
    if (request.reusedSocket) progress.sending();
    else socket.once(connected, progress.sending);
  });
  request.on('response', (response) => {
    progress.answered(response.statusCode ?? 0, response.headersDistinct);
    response.on('data', progress.received);
    response.on('end', progress.ended);
    response.on('error', progress.failed);
  });
  // Without this listener, a 101 closes the connection without an event, and the exchange waits for its timeout.
  request.on('upgrade', (_response, socket) => {
    socket.destroy();
    progress.failed(new Error('the server switched to another protocol'));
  });
  request.on('error', progress.failed);
  return request.end(exchange.body);
}

export interface Probe {
  status: number;
  /** How far our clock is ahead of the server's `Date`, in milliseconds; undefined if there is no `Date`. */
  clockAheadMs: number | undefined;
  /** Expiry time of the certificate, in milliseconds since the epoch; undefined without TLS. */
  certificateEnds: number | undefined;
}

/** Sends HEAD to the address. Rejects with an error that has a `code`: Node's own, or ETIMEDOUT. */
export async function probeAddress(
  address: string,
  {
    clock,
    extraAuthorities,
    signal,
    timeoutMs,
  }: Pick<Exchange, 'signal' | 'timeoutMs'> & Pick<HttpOptions, 'clock' | 'extraAuthorities'>,
): Promise<Probe> {
  const secure = address.startsWith('https:');
  const [{ request }, secureContext] = await Promise.all([
    secure ? import('node:https') : import('node:http'),
    secure ? trustedContext(extraAuthorities) : undefined,
  ]);
  return await new Promise((resolve, reject) => {
    const call = request(address, {
      method: 'HEAD',
      agent: false,
      timeout: timeoutMs,
      signal,
      // Set explicitly, because an environment variable could otherwise turn off the certificate check.
      rejectUnauthorized: true,
      ...(secureContext && { secureContext }),
    });
    call.on('timeout', () => call.destroy(Object.assign(new Error('no response in time'), { code: 'ETIMEDOUT' })));
    call.on('error', reject);
    call.on('response', (response) => {
      const date = Date.parse(response.headers.date ?? '');
      const socket = response.socket as Partial<TLSSocket>;
      const certificate = secure ? socket.getPeerCertificate?.() : undefined;
      response.resume();
      resolve({
        status: response.statusCode ?? 0,
        clockAheadMs: Number.isNaN(date) ? undefined : clock.now() - date,
        certificateEnds: certificate?.valid_to === undefined ? undefined : Date.parse(certificate.valid_to),
      });
    });
    call.end();
  });
}
