// A receiver for status callbacks on loopback: keeps each raw callback and returns the statuses that a test sets.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { listenOnLoopback } from './loopback.ts';

export interface ReceivedCallback {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  json: Record<string, unknown>;
}

export interface CallbackReceiver {
  readonly url: string;
  readonly received: ReceivedCallback[];
  /**
   * Statuses of the next responses, in order; later responses are 202. `hang` never responds, `reset` drops the
   * connection.
   */
  next(...answers: (number | 'hang' | 'reset')[]): void;
  /** Resolves when the receiver has received this many callbacks in total. */
  count(wanted: number): Promise<void>;
  close(): Promise<void>;
}

export async function startCallbackReceiver(): Promise<CallbackReceiver> {
  const received: ReceivedCallback[] = [];
  const script: (number | 'hang' | 'reset')[] = [];
  const waiting: { wanted: number; resolve: () => void }[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const json = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
      received.push({ path: request.url ?? '', headers: request.headers, body, json });
      const answer = script.shift() ?? 202;
      if (answer === 'reset') request.socket.resetAndDestroy();
      else if (answer !== 'hang')
        response.writeHead(answer, answer === 307 ? { location: '/elsewhere' } : {}).end('ok');
      for (const { wanted, resolve } of waiting) if (received.length >= wanted) resolve();
    });
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    next: (...answers) => script.push(...answers),
    count: (wanted) =>
      new Promise((resolve) => {
        if (received.length >= wanted) resolve();
        else waiting.push({ wanted, resolve });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
