// Passes time as a dependency, so that tests do not have to wait.

export interface Clock {
  /** Milliseconds since the epoch. Jumps if the machine's clock is set. */
  now(): number;
  /** Milliseconds since any fixed time. Never jumps. Default: `now`. */
  steady?(): number;
  /** Resolves after `ms`, never earlier. Rejects with the signal's reason if the signal is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Called when a wait for another process starts. The returned function is called when the wait ends. */
  onWait?(text: () => string): () => void;
}

/** Maximum delay of a Node timer (24.8 days). A timer with a longer delay would fire immediately. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. No other code calls `Date.now`, or sleeps with `setTimeout`. */
export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  sleep: async (ms, signal) => {
    signal?.throwIfAborted();
    // A timer can fire slightly early, because it counts from the start of the event loop's turn.
    const end = performance.now() + ms;
    for (let left = ms; left > 0; left = end - performance.now()) await timer(Math.min(left, LONGEST_TIMER_MS), signal);
  },
};

/** Returns a clock for durations: its times never jump, but do not count from the epoch. */
export const steadyClock = (clock: Clock): Clock => ({ ...clock, now: () => clock.steady?.() ?? clock.now() });

/** Work yields to the event loop after this time. A request needs several turns of the loop to get its response. */
export const SLICE_MS = 10;

/** Lets timers and signals run between units of work. Rejects with `signal.reason` if `signal` is aborted. */
export async function ownTurn(signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}

/** Waits at most `ms` for `work`. Rejects if `work` rejects, or with `signal.reason` if `signal` is aborted. */
export async function waitAtMost(work: Promise<unknown> | undefined, ms: number, clock: Clock, signal?: AbortSignal) {
  await withTimeLimit(work, ms, clock, () => undefined, signal);
}

/** Like `waitAtMost`. Returns the result of `work` or, if the time is over, of `late`. `work` continues. */
export async function withTimeLimit<T, Late>(
  work: T,
  ms: number,
  clock: Clock,
  late: () => Late,
  signal?: AbortSignal,
): Promise<Awaited<T> | Late> {
  const over = new AbortController();
  const limit = clock.sleep(ms, signal ? AbortSignal.any([signal, over.signal]) : over.signal).then(late);
  try {
    return await Promise.race([work, limit]);
  } finally {
    over.abort();
  }
}

/** Resolves or rejects like `work`. If the signal is aborted first, rejects with its reason, and `work` continues. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(onAbort(signal, abort));
  });
}

/**
 * Calls `act` when the signal is aborted. The returned function removes the listener and releases `act`: Node links a
 * signal's listeners, so V8's minor collections would keep removed listeners and everything that they refer to.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  let held: typeof act | undefined = act;
  const listener = (): void => held?.();
  signal.addEventListener('abort', listener, { once: true });
  return () => {
    held = undefined;
    signal.removeEventListener('abort', listener);
  };
}

async function timer(ms: number, signal?: AbortSignal): Promise<void> {
  let timeout: NodeJS.Timeout | undefined;
  const rings = new Promise<void>((resolve) => (timeout = setTimeout(resolve, ms)));
  try {
    await (signal ? abortable(rings, signal) : rings);
  } finally {
    clearTimeout(timeout);
  }
}
