// Time as a value that is passed in, so that nothing in a test has to wait.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, never before; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Node's timers hold no more (24.8 days): a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. The only caller of `Date.now` and `setTimeout` for waiting. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    signal?.throwIfAborted();
    // A timer can also fire a little early, since it counts from the start of the event loop's turn.
    const end = performance.now() + ms;
    for (let left = ms; left > 0; left = end - performance.now()) await timer(Math.min(left, LONGEST_TIMER_MS), signal);
  },
};

/** Work of the machine's time between two turns of others: a request passes several of them before it is answered. */
export const SLICE_MS = 10;

/** Lets timers and signals be heard between two pieces of work; rejects with the reason of a `signal` that is aborted. */
export async function ownTurn(signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}

/**
 * Waits until `work` is done, but no longer than `ms`. Rejects as `work` does, and with the signal's reason when that is
 * aborted first; `work` itself goes on.
 */
export async function waitAtMost(
  work: Promise<unknown> | undefined,
  ms: number,
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const limit = clock.sleep(ms, signal ? AbortSignal.any([signal, over.signal]) : over.signal);
  try {
    await Promise.race([work, limit]);
  } finally {
    over.abort();
  }
}

/** Does as `work` does, or rejects with the signal's reason when that is aborted first; `work` itself continues. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function timer(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(done, ms);
    signal?.addEventListener('abort', aborted, { once: true });
    function done(): void {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }
    function aborted(): void {
      clearTimeout(timeout);
      reject(signal?.reason as Error);
    }
  });
}
