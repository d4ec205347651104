// Pauses between requests, and slows down when a response header reports that a limit is nearly used up (decision: D7).
import type { Service } from '../../contract/endpoint.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { HttpOptions, Wait } from '../types.ts';

const SLOW_FROM_PERCENT = 90;
const PAUSE_MS = 1000;

/** The header that reports a limit as nearly used up, if present. */
export function nearsLimit(headers: Record<string, string>): [name: string, value: string] | undefined {
  const header = Object.entries(headers).find(([name]) => name.endsWith('rate-limit-percentage-used'));
  return header !== undefined && Number.parseFloat(header[1]) >= SLOW_FROM_PERCENT ? header : undefined;
}

export function createPace({ clock, onDecision }: { clock: Clock; onDecision(text: string): void }) {
  const pausedUntil = new Map<Service, number>();
  return {
    /** Reads a header whose name ends in `rate-limit-percentage-used`. */
    learn: (service: Service, headers: Record<string, string>): void => {
      const header = nearsLimit(headers);
      if (header === undefined) return;
      pausedUntil.set(service, clock.now() + PAUSE_MS);
      onDecision(`slowing down: ${header[0]} is ${header[1]}`);
    },
    /** Waits before a request to a service whose limit is nearly used up. */
    wait: async (service: Service, signal: AbortSignal): Promise<void> => {
      const left = (pausedUntil.get(service) ?? 0) - clock.now();
      // The limit covers a clock that was set back.
      if (left > 0) await clock.sleep(Math.min(left, PAUSE_MS), signal);
    },
  };
}

/** Receives waits, and measures time. */
export type Waiting = Pick<HttpOptions, 'onWait'> & { clock: Clock };

/** Reports a wait for `work` until it is done. */
export async function waitFor<T>(wait: Wait, work: Promise<T>, { onWait }: Pick<HttpOptions, 'onWait'>): Promise<T> {
  const end = onWait?.(wait);
  try {
    return await work;
  } finally {
    end?.();
  }
}

/** Sleeps and reports it. Rejects with the signal's reason. */
export async function pause(wait: Wait, ms: number, waiting: Waiting, signal: AbortSignal): Promise<void> {
  await waitFor(wait, waiting.clock.sleep(ms, signal), waiting);
}
