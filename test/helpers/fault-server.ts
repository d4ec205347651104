// A raw loopback server that injects faults into its responses and records requests.
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { listenOnLoopback } from './loopback.ts';

export interface ReceivedRequest {
  method: string;
  /** Path and query as sent. */
  target: string;
  /** Header names are in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** Handles one complete request. The connection stays open unless the fault closes it. */
export type Fault = (socket: Socket, request: ReceivedRequest) => void;

export interface FaultServer {
  readonly url: string;
  readonly port: number;
  readonly requests: ReceivedRequest[];
  /** Number of accepted connections. */
  readonly connections: number;
  /** Adds faults for the next requests, in order. The fault from `otherwise` applies to all later requests. */
  next(...faults: Fault[]): void;
  otherwise(fault: Fault): void;
  /** Resets the next connections at the first bytes of a request, which is not recorded. */
  resetConnections(count: number): void;
  close(): Promise<void>;
}

export interface FaultServerOptions {
  tls?: { key: string; cert: string };
}

/** Listens on a free port of 127.0.0.1. */
export async function startFaultServer({ tls }: FaultServerOptions = {}): Promise<FaultServer> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const script: Fault[] = [];
  let fallback: Fault = json({});
  let connections = 0;
  let resets = 0;

  const server: Server = tls ? createTlsServer(tls, accept) : createServer(accept);
  function accept(socket: Socket): void {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // The tests check connection errors on the client side.
    socket.on('error', () => undefined);
    if (resets > 0) {
      resets--;
      socket.once('data', () => socket.resetAndDestroy());
      return;
    }
    readRequests(socket, (request) => {
      requests.push(request);
      (script.shift() ?? fallback)(socket, request);
    });
  }
  server.on('tlsClientError', () => undefined);
  const port = await listenOnLoopback(server);

  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests,
    get connections() {
      return connections;
    },
    next: (...faults) => script.push(...faults),
    otherwise: (fault) => {
      fallback = fault;
    },
    resetConnections: (count) => {
      resets = count;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Calls `onRequest` for each complete request. Bodies require a Content-Length, which our client always sends. */
export function readRequests(socket: Socket, onRequest: (request: ReceivedRequest) => void): void {
  let pending = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const end = pending.indexOf('\r\n\r\n');
      if (end < 0) return;
      const [first = '', ...lines] = pending.subarray(0, end).toString('latin1').split('\r\n');
      const headers = Object.fromEntries(
        lines.map((line) => {
          const colon = line.indexOf(':');
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
        }),
      );
      const length = Number(headers['content-length'] ?? 0);
      if (pending.length < end + 4 + length) return;
      const [method = '', target = ''] = first.split(' ');
      const body = pending.subarray(end + 4, end + 4 + length).toString('utf8');
      pending = pending.subarray(end + 4 + length);
      onRequest({ method, target, headers, body });
    }
  });
}

export interface AnswerParts {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Sends a valid response. */
export function answer({ status = 200, headers = {}, body = '' }: AnswerParts): Fault {
  return (socket) => {
    const bytes = Buffer.from(body);
    const all = { 'content-length': String(bytes.length), ...headers };
    socket.write(Buffer.concat([head(status, all), bytes]));
  };
}

export function json(value: unknown, parts: AnswerParts = {}): Fault {
  const headers = { 'content-type': 'application/json', ...parts.headers };
  return answer({ ...parts, headers, body: JSON.stringify(value) });
}

/** Sends only these bytes, then closes the connection. */
export function raw(...parts: (string | Buffer)[]): Fault {
  return (socket) => socket.end(Buffer.concat(parts.map((part) => Buffer.from(part))));
}

/** Resets the connection (RST) after the request. */
export const reset: Fault = (socket) => socket.resetAndDestroy();

/** Closes the connection without a response. */
export const hangUp: Fault = (socket) => socket.end();

/** Never responds. */
export const silence: Fault = () => undefined;

/** Declares more bytes than it sends. */
export function truncated(body: string, missing = 10): Fault {
  return (socket) => {
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length + missing) };
    socket.end(Buffer.concat([head(200, headers), Buffer.from(body)]));
  };
}

/** Starts a chunked response, and closes the connection in the middle of it. */
export function truncatedChunks(body: string): Fault {
  return raw(head(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }), chunk(body));
}

/** Sends the body in chunks of `size` bytes. */
export function chunked(body: string | Buffer, headers: Record<string, string> = {}, size = 7): Fault {
  return (socket) => {
    const bytes = Buffer.from(body);
    socket.write(head(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked', ...headers }));
    for (let at = 0; at < bytes.length; at += size) socket.write(chunk(bytes.subarray(at, at + size)));
    socket.write('0\r\n\r\n');
  };
}

/** Sends one byte every few milliseconds, so that the response never ends. */
export function drip(everyMs = 10): Fault {
  return (socket) => {
    socket.write(head(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }));
    const timer = setInterval(() => socket.write(chunk(' ')), everyMs);
    socket.on('close', () => clearInterval(timer));
  };
}

/** Sends `piece` repeatedly until the client closes the connection or `total` bytes have been sent. */
export function flood(piece: Buffer, total: number, headers: Record<string, string> = {}): Fault {
  return (socket) => {
    socket.write(head(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked', ...headers }));
    let sent = 0;
    const more = (): void => {
      while (sent < total && !socket.destroyed) {
        sent += piece.length;
        if (!socket.write(chunk(piece))) {
          socket.once('drain', more);
          return;
        }
      }
      if (!socket.destroyed) socket.write('0\r\n\r\n');
    };
    more();
  };
}

function head(status: number, headers: Record<string, string>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status} Whatever\r\n${lines.join('')}\r\n`, 'latin1');
}

function chunk(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}
