// The HTTP listener for callbacks. Delivers each POST as raw bytes, with all header lines as they were sent.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { systemErrorCode } from '../../kernel/errors.ts';
import { fail } from '../../errors/fail.ts';

export interface ReceivedCallback {
  method: string;
  path: string;
  /** One pair per header line, so that repeated headers are visible. */
  headers: (readonly [name: string, value: string])[];
  /** Undefined if the body is too large or was not read. */
  body: Buffer | undefined;
}

/** Even a status object that lists every partner is far smaller. */
export const MAX_CALLBACK_BYTES = 1024 * 1024;
/** Time limit for a request. A shorter limit would drop valid callbacks on a machine that stalls. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Above this number, the oldest waiting connection is closed, so that idle connections cannot block callbacks. */
const MAX_CONNECTIONS = 500;

/** Starts the listener. `answer` returns the status of an empty response. Throws KnownError if it cannot listen. */
export async function startCallbackServer(
  { host, port }: { host: string; port: number },
  answer: (received: ReceivedCallback) => Promise<number>,
) {
  const { createServer } = await import('node:http');
  const underWay = new Set<Promise<void>>();
  /** Connections that are idle or still sending, oldest first. Excludes those whose callback is being answered. */
  const waiting = new Set<Socket>();
  let connections = 0;
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      const { socket } = request;
      const answerRead = async (received: ReceivedCallback): Promise<number> => {
        waiting.delete(socket);
        try {
          return await answer(received);
        } finally {
          if (!socket.destroyed) waiting.add(socket);
        }
      };
      const run: Promise<void> = take(request, response, answerRead).finally(() => underWay.delete(run));
      underWay.add(run);
    },
  );
  server.on('connection', (socket) => {
    connections++;
    waiting.add(socket);
    socket.on('close', () => {
      connections--;
      waiting.delete(socket);
    });
    if (connections <= MAX_CONNECTIONS) return;
    for (const oldest of waiting) {
      waiting.delete(oldest);
      oldest.destroy();
      return;
    }
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    const taken = systemErrorCode(error) === 'EADDRINUSE';
    throw fail('dsr.listen', {
      message: taken
        ? `Port ${port} is in use by another process.`
        : `Cannot listen on ${host}:${port}: ${(error as Error).message}.`,
      hint: 'Pass --port 0 to use a free port.',
      exit: taken ? 'conflict' : 'failed',
      cause: error,
    });
  });
  // A later error, such as too many open files, must not end the process.
  server.on('error', () => undefined);
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    /** Stops accepting requests, and resolves once all completely received callbacks have been answered. */
    close: async (): Promise<void> => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A sender that has not finished will resend the callback to the next listener.
      for (const socket of waiting) socket.destroy();
      await Promise.all(underWay);
      server.closeAllConnections();
      await closed;
    },
  };
}

async function take(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (received: ReceivedCallback) => Promise<number>,
): Promise<void> {
  let body: Buffer | undefined;
  try {
    // Do not wait for the body of a request that is not a callback.
    if (request.method === 'POST') body = await readBody(request);
  } catch {
    // The client closed the connection.
    return;
  }
  const { rawHeaders } = request;
  const headers = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []));
  const received = { method: request.method ?? '', path: request.url ?? '/', headers, body };
  // The platform resends an unacknowledged callback.
  const status = await answer(received).catch(() => 503);
  response.writeHead(status, {
    'content-length': '0',
    ...(status === 405 && { allow: 'POST' }),
    // Do not read the rest of an oversized body.
    ...(body === undefined && { connection: 'close' }),
  });
  response.end();
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length']) > MAX_CALLBACK_BYTES) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > MAX_CALLBACK_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
