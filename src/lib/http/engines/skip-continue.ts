// Takes `100 Continue` out of what a connection receives: undici ends a connection that brings one it did not ask for.
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

const START = 'HTTP/1.1 100';
const END = '\r\n\r\n';

/** An interim answer without an end is none. */
const MAX_HELD = 16_384;

/** A connector whose connections pass over every `100 Continue` in front of an answer (RFC 9110, 15.2.1). */
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

  /** What is left of a chunk for the parser; empty when more has to come first. */
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

  // Whatever is written belongs to a request, and pipelining is off: what is read next begins its answer.
  socket.write = ((...args: unknown[]) => {
    awaitsAnswer = true;
    return write(...args);
  }) as typeof socket.write;
  // undici's parser takes its bytes by `read` alone, without a size.
  socket.read = (size?: number) => {
    for (;;) {
      const chunk = read(size) as Buffer | null;
      if (chunk === null) return null;
      const rest = filter(chunk);
      if (rest.length > 0) return rest;
    }
  };
}
