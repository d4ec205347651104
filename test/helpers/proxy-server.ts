// A loopback proxy that tunnels CONNECT, forwards plain HTTP and records its requests.
import { createServer, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listenOnLoopback } from './loopback.ts';

export interface ProxyServer {
  readonly url: string;
  /** `CONNECT host:port` or `GET http://…`, with the value of proxy-authorization. */
  readonly asked: { line: string; authorization: string | undefined }[];
  close(): Promise<void>;
}

/**
 * Starts a proxy that sends every tunnel to `port` on this machine, so that host names need not resolve. If `password`
 * is given, the proxy requires `user:password`.
 */
export async function startProxy(port: number, password?: string): Promise<ProxyServer> {
  const asked: ProxyServer['asked'] = [];
  const sockets = new Set<Socket>();
  const wanted = password && `Basic ${Buffer.from(`user:${password}`).toString('base64')}`;
  const admits = (incoming: IncomingMessage): boolean => {
    const authorization = incoming.headers['proxy-authorization'];
    asked.push({ line: `${incoming.method} ${incoming.url}`, authorization });
    return wanted === undefined || authorization === wanted;
  };

  const server = createServer((incoming, outgoing) => {
    if (!admits(incoming)) {
      outgoing.writeHead(407).end();
      return;
    }
    const { pathname, search } = new URL(incoming.url ?? '');
    const { method, headers } = incoming;
    const forwarded = request({ host: '127.0.0.1', port, path: pathname + search, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  server.on('connect', (incoming, socket: Socket) => {
    if (!admits(incoming)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
    sockets.add(upstream);
    for (const [end, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      end.on('error', () => other.destroy());
    }
  });
  server.on('connection', (socket) => sockets.add(socket));
  const ownPort = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${ownPort}`,
    asked,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
