// The listening socket: where it is bound, how it is called from outside, and how it ends.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { KnownError, systemErrorCode, usageError } from '../../kernel/errors.ts';
import { isOwnHost } from './own-host.ts';
import { refusal, refusalAnswer } from './platform-error.ts';
import { write } from './message.ts';

export interface ListeningServer {
  port: number;
  /** `http://host:port`, with a host that can be called. */
  url: string;
  /** Ends all connections at once, idle or not. */
  close(): Promise<void>;
}

/** What is called for each request; resolves when the answer was handed over. */
export type Router = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/** Listens; port 0 takes a free one. Throws KnownError when the address cannot be had. */
export async function listen(router: Router, hostname: string, port: number): Promise<ListeningServer> {
  const server = createServer((incoming, outgoing) => {
    const { host } = incoming.headers;
    if (!isOwnHost(host, hostname)) {
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
    url: `http://${callable(hostname)}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
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
        'Give --host an address of this machine, such as 127.0.0.1.',
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
