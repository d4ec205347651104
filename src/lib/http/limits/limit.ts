// Applies the rates of a profile (decision: D148): spreads this process's requests evenly.
import type { Endpoint } from '../../contract/endpoint.ts';
import { parseRate } from '../../kernel/timestamps.ts';
import { pause, type Waiting } from './pace.ts';

/** The area of a profile's `limits`, by the first part of a call's id. Roles have their own budget. */
const AREA_OF: Readonly<Record<string, string>> = {
  groups: 'groups',
  dsr: 'dsr',
  connections: 'warehouse',
  dataModels: 'warehouse',
  pipelines: 'warehouse',
  seeding: 'seeding',
  intake: 'seeding',
};

/** Bulk runs pace these calls themselves, because a flag can set another rate. */
const PACED_ELSEWHERE = new Set(['dsr.create', 'seeding.bulk']);

export function createLimits(limits: Readonly<Record<string, string>>, waiting: Waiting) {
  const free = new Map<string, number>();
  const rateOf = (area: string): number | undefined => parseRate(limits[area] ?? '');
  return {
    /** The rate of an area in whole requests per minute; undefined when none is set. */
    aMinute: (area: string): number | undefined => {
      const rate = rateOf(area);
      return rate === undefined ? undefined : Math.max(1, Math.floor(rate * 60));
    },
    /** Waits until a call of this area may be sent. */
    wait: async ({ id }: Pick<Endpoint, 'id'>, signal: AbortSignal): Promise<void> => {
      const area = AREA_OF[id.split('.', 1)[0] ?? ''];
      const rate = area === undefined || PACED_ELSEWHERE.has(id) ? undefined : rateOf(area);
      if (area === undefined || rate === undefined) return;
      const now = waiting.clock.now();
      const due = Math.max(now, free.get(area) ?? now);
      free.set(area, due + 1000 / rate);
      if (due <= now) return;
      const text = `Waiting for the profile's ${area} limit of ${limits[area]}`;
      await pause({ text }, due - now, waiting, signal);
    },
  };
}
