// Removes `100 Continue` from the received bytes: undici closes a connection that sends one without a request for it.
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

const START = 'HTTP/1.1 100';
const END = '\r\n\r\n';

/** A longer interim response is passed to the parser. */
const MAX_HELD = 16_384;

/** A connector whose connections skip every `100 Continue` before a response (RFC 9110, 15.2.1). */
export function skippingContinue(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...result) => {
      if (result[1]) skipContinue(result[1]);
      callback(...result);
    });
  };
}

function skipContinue(socket: Socket): void {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let awaitsAnswer = true;
  let held: Buffer = Buffer.alloc(0);

  /** The bytes for the parser; empty while an interim response is incomplete. */
  function filter(chunk: Buffer): Buffer {
    if (!awaitsAnswer) return chunk;
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (held.length > 0) {
      const begins = held.subarray(0, START.length).toString('latin1');
      const length = held.subarray(0, MAX_HELD).indexOf(END) + END.length;
      const isContinue = begins === START;
      if (isContinue && length >= END.length) held = held.subarray(length);
      else if (held.length < MAX_HELD && (isContinue || START.startsWith(begins))) return Buffer.alloc(0);
      else break;
    }
    const rest = held;
    held = Buffer.alloc(0);
    awaitsAnswer = rest.length === 0;
    return rest;
  }

  // Pipelining is off, so the next bytes after a write begin a response.
  socket.write = ((...args: unknown[]) => {
    awaitsAnswer = true;
    return write(...args);
  }) as typeof socket.write;
  // undici's parser reads only by `read`, without a size.
  socket.read = (size?: number) => {
    for (;;) {
      const chunk = read(size) as Buffer | null;
      if (chunk === null) return null;
      const rest = filter(chunk);
      if (rest.length > 0) return rest;
    }
  };
}
