// Opens named pipes and terminals, which block their readers. Loaded only when needed.
import { closeSync, constants, createReadStream, fstatSync, open, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';

/** An abort ends the wait. Node's file streams would wait in a thread that keeps the process from exiting. */
export async function openWaiting(path: string, signal: AbortSignal): Promise<Readable> {
  const descriptor = await openOnce(path, signal);
  if (fstatSync(descriptor).isFIFO()) return new Socket({ fd: descriptor, readable: true, writable: false });
  return isatty(descriptor) ? new ReadStream(descriptor) : createReadStream(path, { fd: descriptor });
}

/** Opening a pipe waits for a writer. On abort, we open the other end ourselves. */
function openOnce(path: string, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    let otherEnd: number | undefined;
    const stop = (): void => {
      reject(signal.reason as Error);
      try {
        otherEnd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOCTTY);
      } catch {
        // This user is not allowed to write to the pipe, so the thread keeps waiting.
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
