// Pauses between requests because of a profile's rates, or when a header reports that a limit is near (decision: D7).
import type { Service, Endpoint } from '../../contract/endpoint.ts';
import { type Clock, steadyClock } from '../../kernel/clock.ts';
import type { HttpOptions, Wait } from '../types.ts';
import { parseRate } from '../../kernel/timestamps.ts';

const SLOW_FROM_PERCENT = 90;
const PAUSE_MS = 1000;

export function nearsLimit(headers: Record<string, string>): [name: string, value: string] | undefined {
  const header = Object.entries(headers).find(([name]) => name.endsWith('rate-limit-percentage-used'));
  return header !== undefined && Number.parseFloat(header[1]) >= SLOW_FROM_PERCENT ? header : undefined;
}

export function createPace({ clock, onDecision }: { clock: Clock; onDecision(text: string): void }) {
  const { now } = steadyClock(clock);
  const pausedUntil = new Map<Service, number>();
  return {
    learn: (service: Service, headers: Record<string, string>): void => {
      const header = nearsLimit(headers);
      if (header === undefined) return;
      pausedUntil.set(service, now() + PAUSE_MS);
      onDecision(`slowing down: ${header[0]} is ${header[1]}`);
    },
    wait: async (service: Service, signal: AbortSignal): Promise<void> => {
      const left = (pausedUntil.get(service) ?? -Infinity) - now();
      if (left > 0) await clock.sleep(left, signal);
    },
  };
}

export type Waiting = Pick<HttpOptions, 'onWait'> & { clock: Clock };

export async function waitFor<T>(wait: Wait, work: Promise<T>, { onWait }: Pick<HttpOptions, 'onWait'>): Promise<T> {
  const end = onWait?.(wait);
  try {
    return await work;
  } finally {
    end?.();
  }
}

export async function pause(wait: Wait, ms: number, waiting: Waiting, signal: AbortSignal): Promise<void> {
  await waitFor(wait, waiting.clock.sleep(ms, signal), waiting);
}

/** Maps the first part of a call's id to an area in a profile's `limits`. Roles have their own budget. */
const AREA_OF: Readonly<Record<string, string>> = {
  groups: 'groups',
  dsr: 'dsr',
  connections: 'warehouse',
  dataModels: 'warehouse',
  pipelines: 'warehouse',
  seeding: 'seeding',
  intake: 'seeding',
};

/** Bulk runs pace these calls themselves, because a flag may set a different rate. */
const PACED_ELSEWHERE = new Set(['dsr.create', 'seeding.bulk']);

export function createLimits(limits: Readonly<Record<string, string>>, waiting: Waiting) {
  const free = new Map<string, number>();
  const rateOf = (area: string): number | undefined => parseRate(limits[area] ?? '');
  return {
    /** Returns an area's rate in whole requests per minute; undefined if none is set. */
    aMinute: (area: string): number | undefined => {
      const rate = rateOf(area);
      return rate === undefined ? undefined : Math.max(1, Math.floor(rate * 60));
    },
    wait: async ({ id }: Pick<Endpoint, 'id'>, signal: AbortSignal): Promise<void> => {
      const area = AREA_OF[id.split('.', 1)[0] ?? ''];
      const rate = area === undefined || PACED_ELSEWHERE.has(id) ? undefined : rateOf(area);
      if (area === undefined || rate === undefined) return;
      const now = steadyClock(waiting.clock).now();
      const due = Math.max(now, free.get(area) ?? now);
      free.set(area, due + 1000 / rate);
      if (due <= now) return;
      const text = `Waiting for the profile's ${area} limit of ${limits[area]}`;
      await pause({ text }, due - now, waiting, signal);
    },
  };
}
