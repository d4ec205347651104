// A server that takes seeds and counts them: as a process of its own for benchmarks, as a function for tests.
// Rows are counted by what stands once in each: the key of the environment.
import { createServer } from 'node:http';

const MARK = Buffer.from('"environment"');

/**
 * @typedef {object} Sink
 * @property {string} url
 * @property {number} rows accepted
 * @property {number} requests all of them
 * @property {string[]} bodies of accepted requests, when they are kept
 * @property {() => Promise<void>} close
 */

/** @typedef {{status: number, body?: string, headers?: Record<string, string>, delay?: number, drop?: boolean}} Reply */

/**
 * @param {{answer?: (body: Buffer, request: number) => Reply | undefined, keep?: boolean, port?: number}} [options]
 *   `answer` may refuse a body; undefined accepts it.
 * @returns {Promise<Sink>}
 */
export async function startSink({ answer, keep = false, port = 0 } = {}) {
  /** @type {Sink} */
  const sink = { url: '', rows: 0, requests: 0, bodies: [], close: async () => undefined };
  const server = createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      sink.requests += 1;
      const reply = answer?.(body, sink.requests) ?? { status: 202 };
      if (reply.drop) {
        request.socket.destroy();
        return;
      }
      if (reply.status === 202) {
        sink.rows += countRows(body);
        if (keep) sink.bodies.push(body.toString('utf8'));
      }
      const end = () => {
        response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
        response.end(reply.body);
      };
      if (reply.delay) setTimeout(end, reply.delay);
      else end();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  sink.url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  sink.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return sink;
}

/** @param {Buffer} body */
function countRows(body) {
  let rows = 0;
  for (let at = body.indexOf(MARK); at >= 0; at = body.indexOf(MARK, at + MARK.length)) rows += 1;
  return rows;
}
