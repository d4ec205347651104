// Waits of a call that somebody may want to hear of.
import type { Clock } from '../../kernel/clock.ts';
import type { HttpOptions, Wait } from '../types.ts';

/** Who hears of waits, and how time passes. */
export type Waiting = Pick<HttpOptions, 'onWait'> & { clock: Clock };

/** Reports that `work` is waited for until it is done. */
export async function waitFor<T>(wait: Wait, work: Promise<T>, { onWait }: Pick<HttpOptions, 'onWait'>): Promise<T> {
  const end = onWait?.(wait);
  try {
    return await work;
  } finally {
    end?.();
  }
}

/** Sleeps, and tells of it. Rejects with the signal's reason. */
export async function pause(wait: Wait, ms: number, waiting: Waiting, signal: AbortSignal): Promise<void> {
  await waitFor(wait, waiting.clock.sleep(ms, signal), waiting);
}
