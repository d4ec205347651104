// Reads a stream until the command is aborted.
import { addAbortSignal, type Readable } from 'node:stream';

/** Throws the reason of an aborted `signal`, and destroys the stream: an open pipe keeps the process alive. */
export async function* streamBytes(stream: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of addAbortSignal(signal, stream))
      yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    // A closing terminal ends the stream at the moment it sends its signal.
    signal.throwIfAborted();
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
