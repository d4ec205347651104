// The server that listens for requests.
import {
  createServer as createHttpServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import { KnownError, systemErrorCode, usageError } from '../../kernel/errors.ts';
import { type PlatformError, rejection } from './platform-error.ts';
import { isIP, type Socket } from 'node:net';
import { PeerGone } from './request-body.ts';
import { isLoopback } from '../../kernel/address.ts';

/** Listening addresses that accept connections to any address of the machine. */
const EVERYWHERE = ['0.0.0.0', '::'];

/** Returns the host in a `Host` header, without its port and in lower case; empty if the header is malformed. */
export function hostName(header: string | undefined): string {
  return /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(header ?? '')?.[1]?.toLowerCase() ?? '';
}

/** True if the header names this machine or the listening address (any IP address if the server listens everywhere). */
export function isOwnHost(header: string | undefined, listensOn: string): boolean {
  const name = hostName(header);
  const address = name.startsWith('[') ? name.slice(1, -1) : name;
  if (isLoopback(name) || address === listensOn.toLowerCase()) return true;
  return EVERYWHERE.includes(listensOn) && isIP(address) !== 0;
}

/** Handles a request, or responds with `rejected`. Resolves once the response has been written. */
export type Router = (incoming: IncomingMessage, outgoing: ServerResponse, rejected?: PlatformError) => Promise<void>;

interface ListenOptions {
  /** An additional address that clients use. */
  publicUrl?: string | undefined;
  tls?: { cert: string; key: string } | undefined;
}

/** Listens on an address. Port 0 selects a free port. Throws KnownError for an unusable address or certificate. */
export async function listen(router: Router, hostname: string, port: number, { publicUrl, tls }: ListenOptions = {}) {
  const publicName = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  const respond: Router = (incoming, outgoing, rejected) => {
    const { host = '' } = incoming.headers;
    const isAccepted = rejected !== undefined || isOwnHost(host, hostname) || hostName(host) === publicName;
    if (isAccepted) return router(incoming, outgoing, rejected);
    if (host === '') return router(incoming, outgoing, rejection(400, 'Bad request: the Host header is missing'));
    return router(incoming, outgoing, rejection(403, `Forbidden: this platform does not accept the host ${host}`));
  };
  // Closes the connection if the request failed without a response.
  const server = await createServer(tls, (incoming, outgoing) => {
    respond(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.on('clientError', (error: ClientError, socket) => {
    respondToBroken(respond, error, socket as Socket).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(hostname, port, error)));
    server.listen(port, hostname, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return {
    port: bound,
    url: `${tls ? 'https' : 'http'}://${callable(hostname)}:${bound}`,
    /** Closes all connections immediately, whether idle or not. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type ClientError = Error & { code?: string; rawPacket?: Buffer };

const BROKEN: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Responds to a request that Node cannot parse. Treats an unknown method like any method that is not allowed. */
async function respondToBroken(router: Router, { code = '', message, rawPacket }: ClientError, socket: Socket) {
  if (!socket.writable) throw new PeerGone();
  const packet = String(rawPacket ?? '');
  const [, method = '', url = '/'] = /^(\S+) (\S+) HTTP\//.exec(packet) ?? [];
  const headers = { host: /\r\nhost: *([^\r]*)/i.exec(packet)?.[1] };
  const incoming = Object.assign(new IncomingMessage(socket), { method, url, headers, complete: true });
  incoming.push(null);
  const outgoing = new ServerResponse(incoming);
  // Throws while the response to an earlier request is unfinished.
  outgoing.assignSocket(socket);
  outgoing.setHeader('connection', 'close').on('finish', () => socket.end());
  const isMethod = code === 'HPE_INVALID_METHOD' && method !== '';
  await router(incoming, outgoing, isMethod ? undefined : rejection(BROKEN[code] ?? 400, `Bad request: ${message}`));
}

async function createServer(tls: ListenOptions['tls'], onRequest: RequestListener): Promise<Server> {
  // Respond to a request without `Host` ourselves, because Node's own response has no body.
  const options = { requireHostHeader: false };
  if (!tls) return createHttpServer(options, onRequest);
  const { createServer: createHttpsServer } = await import('node:https');
  try {
    return createHttpsServer({ ...options, ...tls }, onRequest);
  } catch (cause) {
    throw usageError(
      `Cannot use the certificate and its key: ${cause instanceof Error ? cause.message : String(cause)}.`,
      'Pass a PEM certificate, followed by its CA certificates, and its PEM key.',
    );
  }
}

/** Clients use the loopback address for a server that listens on all addresses. */
function callable(hostname: string): string {
  if (hostname === '0.0.0.0') return '127.0.0.1';
  if (hostname === '::') return '[::1]';
  return hostname.includes(':') ? `[${hostname}]` : hostname;
}

function cannotListen(hostname: string, port: number, cause: Error): KnownError {
  switch (systemErrorCode(cause)) {
    case 'EADDRINUSE':
      return new KnownError({
        code: 'emulator.port',
        message: `Port ${port} on ${hostname} is in use.`,
        hint: 'Stop the program that uses it, or choose another port. Port 0 selects a free one.',
        cause,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return usageError(
        `${hostname} is not an address of this machine.`,
        'Choose an address of this machine, such as 127.0.0.1.',
      );
    case 'EACCES':
      return usageError(`Permission denied for port ${port}.`, 'Choose a port above 1023.');
    default:
      return new KnownError({
        code: 'emulator.listen',
        message: `Cannot listen on ${hostname}:${port}: ${cause.message}.`,
        cause,
      });
  }
}
