// Reads a stream to its end, or until the command is aborted.
import { addAbortSignal, type Readable } from 'node:stream';

/** If `signal` is aborted, throws its reason and destroys the stream: an open pipe would keep the process running. */
export async function* streamBytes(stream: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of addAbortSignal(signal, stream))
      yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    // When a terminal closes, the stream ends at the moment when the signal is sent.
    signal.throwIfAborted();
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
