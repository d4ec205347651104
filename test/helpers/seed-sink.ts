// A stand-in for the platform's seeding API: counts accepted users, and lets a test choose its responses.
import { createServer } from 'node:http';
import { listenOnLoopback } from './loopback.ts';

export interface Reply {
  status: number;
  body?: string;
  headers?: Record<string, string>;
  /** Closes the connection instead of responding. */
  drop?: boolean;
  /** Called after the response is written. */
  after?: () => void;
}

export interface Sink {
  url: string;
  rows: number;
  requests: number;
  /** The bodies of accepted requests. */
  bodies: string[];
  close(): Promise<void>;
}

/** Text that appears once in each row. */
const ROW_MARKER = Buffer.from('"environment"');

/**
 * Returns the response to the request with this number (counted from 1); undefined accepts the request. A promise
 * delays the response.
 */
export type Answer = (body: Buffer, request: number) => Reply | undefined | Promise<Reply | undefined>;

/** If `answer` is undefined, accepts every body. */
export async function startSink(answer?: Answer): Promise<Sink> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => void take(Buffer.concat(chunks)));
    const take = async (body: Buffer): Promise<void> => {
      sink.requests++;
      const answered = answer?.(body, sink.requests);
      const reply = (answered instanceof Promise ? await answered : answered) ?? { status: 202 };
      if (reply.drop) {
        request.socket.destroy();
        return;
      }
      if (reply.status === 202) {
        sink.rows += countRows(body);
        sink.bodies.push(body.toString('utf8'));
      }
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(reply.body);
    };
  });
  const port = await listenOnLoopback(server);
  const sink: Sink = {
    url: `http://127.0.0.1:${port}`,
    rows: 0,
    requests: 0,
    bodies: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return sink;
}

function countRows(body: Buffer): number {
  let rows = 0;
  for (let at = body.indexOf(ROW_MARKER); at >= 0; at = body.indexOf(ROW_MARKER, at + ROW_MARKER.length)) rows++;
  return rows;
}
