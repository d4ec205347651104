// What comes in by a stream, for as long as the command is not told to stop.
import type { Readable } from 'node:stream';

/**
 * The bytes of a stream as they come. When `signal` is aborted its reason is thrown, however long the next byte would be
 * awaited, and the stream is destroyed: an open pipe or terminal would keep the process alive.
 */
export async function* streamBytes(stream: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  const stop = (): void => {
    stream.destroy(signal.reason as Error);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) {
      stream.on('error', () => undefined);
      stop();
    }
    for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    // A terminal that is closed ends what is read from it in the moment in which it sends its signal.
    signal.throwIfAborted();
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
