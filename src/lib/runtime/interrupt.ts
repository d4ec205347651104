// The ways a command is told to stop: as errors, so that whatever is awaited ends with the right exit code.
import type { KnownError } from '../kernel/errors.ts';
import { formatDuration } from '../kernel/timestamps.ts';
import { fail } from '../errors/fail.ts';
import type { ErrorCode } from '../errors/registry.ts';

/** How a stop is called before anything is known of what it leaves behind. */
const STOPS: readonly ErrorCode[] = ['interrupted', 'terminated', 'hung_up'];

/** Ctrl-C. */
export function interrupted(): KnownError {
  return fail('interrupted', { message: 'Interrupted.' });
}

/** SIGTERM, as a service manager sends it. */
export function terminated(): KnownError {
  return fail('terminated', { message: 'Terminated.' });
}

/** SIGHUP, as a terminal that is closed sends it. */
export function hungUp(): KnownError {
  return fail('hung_up', { message: 'The terminal was closed.' });
}

/** The command's `--timeout` is over. */
export function timedOut(ms: number): KnownError {
  return fail('timeout', {
    message: `The command did not end within its --timeout of ${formatDuration(ms)}.`,
    hint: 'Give it longer, or run it again to see how far it came.',
  });
}

/** Resolves once the command is told to stop, for one that would otherwise go on for ever. */
export function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * The same stop with what it leaves behind, unless that was said already. `hasWritten`: something was sent that may have
 * changed the platform.
 */
export function explainStop(error: KnownError, hasWritten: boolean): KnownError {
  const { code, hint: said } = error;
  if (said !== undefined || !STOPS.some((stop) => stop === code)) return error;
  const hint = hasWritten
    ? 'What was sent before may have been done. Check the current state before you run the command again.'
    : 'Nothing was changed. Run the command again.';
  return error.with({ hint });
}

/** The reader of standard output has gone away (`| head -1`): no failure, but there is nothing more to write for. */
export class BrokenPipeError extends Error {
  constructor() {
    super('standard output was closed by its reader');
    this.name = 'BrokenPipeError';
  }
}

/** Whether an error means that the command is done and there is nothing to tell. */
export function isQuietEnd(error: unknown): boolean {
  // `CurlPrinted` by its name: the HTTP core is not loaded where nothing was to be sent.
  return error instanceof BrokenPipeError || (error instanceof Error && error.name === 'CurlPrinted');
}
