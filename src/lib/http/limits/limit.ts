// The rates that a profile sets for areas (decision: D148): requests of this process are spread evenly.
import type { Endpoint } from '../../contract/endpoint.ts';
import { parseRate } from '../../kernel/timestamps.ts';
import { pause, type Waiting } from './pace.ts';

/** Which area of a profile's `limits` a call counts for, by the first part of its id; roles have their budget. */
const AREA_OF: Readonly<Record<string, string>> = {
  groups: 'groups',
  dsr: 'dsr',
  connections: 'warehouse',
  dataModels: 'warehouse',
  pipelines: 'warehouse',
  seeding: 'seeding',
  intake: 'seeding',
};

/** Bulk runs send these by the thousand and keep the rate themselves, for a flag may set another. */
const PACED_ELSEWHERE = new Set(['dsr.create', 'seeding.bulk']);

export function createLimits(limits: Readonly<Record<string, string>>, waiting: Waiting) {
  const free = new Map<string, number>();
  const rateOf = (area: string): number | undefined => parseRate(limits[area] ?? '');
  return {
    /** The rate of an area in requests a minute, whole; undefined where none is set. */
    aMinute: (area: string): number | undefined => {
      const rate = rateOf(area);
      return rate === undefined ? undefined : Math.max(1, Math.floor(rate * 60));
    },
    /** Waits until a call of this kind may be sent. */
    wait: async ({ id }: Pick<Endpoint, 'id'>, signal: AbortSignal): Promise<void> => {
      const area = AREA_OF[id.split('.', 1)[0] ?? ''];
      const rate = area === undefined || PACED_ELSEWHERE.has(id) ? undefined : rateOf(area);
      if (area === undefined || rate === undefined) return;
      const now = waiting.clock.now();
      const due = Math.max(now, free.get(area) ?? now);
      free.set(area, due + 1000 / rate);
      if (due <= now) return;
      const text = `Keeping the profile's limit of ${limits[area]} for ${area}`;
      await pause({ text }, due - now, waiting, signal);
    },
  };
}
