// The errors that stop a command, each with its exit code.
import { once } from 'node:events';
import type { KnownError } from '../kernel/errors.ts';
import { formatDuration } from '../kernel/timestamps.ts';
import { fail } from '../errors/fail.ts';

/** Returns the error for Ctrl-C. */
export const interrupted = (): KnownError => fail('interrupted', { message: 'Interrupted.' });

/** Returns the error for SIGTERM, which a service manager sends. */
export const terminated = (): KnownError => fail('terminated', { message: 'Terminated.' });

/** Returns the error for SIGHUP, which a terminal sends when it is closed. */
export const hungUp = (): KnownError => fail('hung_up', { message: 'The terminal was closed.' });

export function timedOut(ms: number): KnownError {
  return fail('timeout', {
    message: `The command did not finish within its --timeout of ${formatDuration(ms)}.`,
    hint: 'Pass a longer --timeout, or check the current state before you run the command again.',
  });
}

export async function stopped(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Adds a hint about the platform's state to a stop without a hint, and to a usage error after a write. */
export function explainStop(error: KnownError, hasWritten: boolean): KnownError {
  const { code, hints } = error;
  const isStop = hints.length === 0 && ['interrupted', 'terminated', 'hung_up'].includes(code);
  if (!isStop && !(hasWritten && code === 'usage')) return error;
  const hint = hasWritten
    ? 'Earlier requests may have changed the platform. Check the current state before you run the command again.'
    : 'No changes were made. Run the command again.';
  return error.with({ hint: [...hints, hint] });
}

/** Thrown if the reader closes the pipe (`| head -1`). This ends the command, but is not an error. */
export class BrokenPipeError extends Error {
  override name = 'BrokenPipeError';
  override message = 'standard output was closed by its reader';
}

/** True if the error ends the command silently and with success. */
export function isQuietEnd(error: unknown): boolean {
  // Recognize `CurlPrinted` by its name, to avoid loading the HTTP core.
  return error instanceof BrokenPipeError || (error instanceof Error && error.name === 'CurlPrinted');
}
