// Files that make their reader wait: pipes with a name and terminals. Loaded for them alone.
import { closeSync, constants, createReadStream, fstatSync, open, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';

/**
 * Opens a pipe or a device. Neither the wait for somebody who writes into it nor one for its bytes may outlive the
 * command: Node's own file streams wait in a thread, and the process cannot end before that does. Throws the reason of
 * `signal`, and what the system says.
 */
export async function openWaiting(path: string, signal: AbortSignal): Promise<Readable> {
  const descriptor = await openOnce(path, signal);
  if (fstatSync(descriptor).isFIFO()) return new Socket({ fd: descriptor, readable: true, writable: false });
  return isatty(descriptor) ? new ReadStream(descriptor) : createReadStream(path, { fd: descriptor });
}

/** Opening a pipe waits until somebody opens its other end: told to stop, we do so ourselves. */
function openOnce(path: string, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    let otherEnd: number | undefined;
    const stop = (): void => {
      reject(signal.reason as Error);
      try {
        otherEnd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOCTTY);
      } catch {
        // Nobody may write into it but its owner: the thread waits for that.
      }
    };
    signal.addEventListener('abort', stop, { once: true });
    open(path, constants.O_RDONLY | constants.O_NOCTTY, (error, descriptor) => {
      signal.removeEventListener('abort', stop);
      if (otherEnd !== undefined) closeSync(otherEnd);
      if (error) reject(error);
      else if (signal.aborted) closeSync(descriptor);
      else resolve(descriptor);
    });
    if (signal.aborted) stop();
  });
}
