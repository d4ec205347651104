// Reads a stream until the command is aborted.
import { addAbortSignal, type Readable } from 'node:stream';

/**
 * The bytes of a stream. If `signal` is aborted, throws its reason immediately and destroys the stream, because an open
 * pipe or terminal would keep the process alive.
 */
export async function* streamBytes(stream: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of addAbortSignal(signal, stream))
      yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    // A closed terminal ends the stream at the moment when it sends its signal.
    signal.throwIfAborted();
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
