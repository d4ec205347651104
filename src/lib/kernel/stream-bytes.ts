// Reads a stream until the command is aborted.
import type { Readable } from 'node:stream';

/**
 * The bytes of a stream. If `signal` is aborted, throws its reason immediately and destroys the stream, because an open
 * pipe or terminal would keep the process alive.
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
    // A closed terminal ends the stream at the moment when it sends its signal.
    signal.throwIfAborted();
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
