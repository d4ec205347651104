// The listening socket: where it is bound, how it is called from outside, and how it ends.
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { KnownError, systemErrorCode, usageError } from '../../kernel/errors.ts';
import { hostName, isOwnHost } from './own-host.ts';
import { refusal, refusalAnswer, write } from './platform-error.ts';

export interface ListeningServer {
  port: number;
  /** `http://host:port`, with a host that can be called. */
  url: string;
  /** Ends all connections at once, idle or not. */
  close(): Promise<void>;
}

/** What is called for each request; resolves when the answer was handed over. */
export type Router = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

export interface ListenOptions {
  /** Another address by which it is called. */
  publicUrl?: string | undefined;
  /** PEM texts; it then speaks https. */
  tls?: { cert: string; key: string } | undefined;
}

/** Listens; port 0 takes a free one. Throws KnownError when the address or the certificate cannot be used. */
export async function listen(
  router: Router,
  hostname: string,
  port: number,
  { publicUrl, tls }: ListenOptions = {},
): Promise<ListeningServer> {
  const publicName = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  const server = await createServer(tls, (incoming, outgoing) => {
    const { host } = incoming.headers;
    if (!isOwnHost(host, hostname) && hostName(host) !== publicName) {
      write(outgoing, refusalAnswer(refusal(403, `Forbidden: this platform is not known as ${host ?? ''}`)));
      return;
    }
    // Whatever could not be answered any more ends, so that nobody waits for it.
    router(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(cannotListen(hostname, port, error));
    });
    server.listen(port, hostname, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return {
    port: bound,
    url: `${tls ? 'https' : 'http'}://${callable(hostname)}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function createServer(tls: ListenOptions['tls'], onRequest: RequestListener): Promise<Server> {
  if (!tls) return createHttpServer(onRequest);
  const { createServer: createHttpsServer } = await import('node:https');
  try {
    return createHttpsServer(tls, onRequest);
  } catch (cause) {
    throw usageError(
      `The certificate and its key cannot be used: ${cause instanceof Error ? cause.message : String(cause)}.`,
      'Give a PEM certificate, followed by those of its authorities, and the PEM key that belongs to it.',
    );
  }
}

/** An address that means "all of them" is called by the loopback one. */
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
        message: `Port ${port} of ${hostname} is in use.`,
        hint: 'Stop what uses it, or choose another port; port 0 is a free one.',
        cause,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return usageError(
        `${hostname} is no address of this machine.`,
        'Choose an address of this machine, such as 127.0.0.1.',
      );
    case 'EACCES':
      return usageError(`Port ${port} needs rights that this process does not have.`, 'Choose a port above 1023.');
    default:
      return new KnownError({
        code: 'emulator.listen',
        message: `Cannot listen on ${hostname}:${port}: ${cause.message}.`,
        cause,
      });
  }
}
