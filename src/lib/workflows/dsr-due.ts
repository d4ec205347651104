// Finds the most urgent due requests in the whole ledger, with their current states.
import { dueFirst, type RequestOverview } from '../domain/dsr/overview.ts';
import { parseIso } from '../kernel/timestamps.ts';
import type { LedgerPort } from './dsr-ports.ts';
import { type ListPorts, refreshRequests } from './dsr-read.ts';

const FEWEST = 4;
/** A search ends after this many finished requests. The ledger records their states, so the next search skips them. */
const ENDED_AT_MOST = 1000;

/**
 * Returns the most urgent requests. A request that turns out to be finished is replaced by the next one. `until` (ms)
 * is the latest deadline or expiry of results to include. With `isPatient`, finished requests never stop the search.
 * `left` is the number of requests that were not read or not returned.
 */
export async function dueRequests(
  ledger: Pick<LedgerPort, 'byUrgency'>,
  { isPatient, limit, until }: { limit: number; until: number; isPatient: boolean },
  ports: ListPorts,
) {
  const found: RequestOverview[] = [];
  let [asked, ended, rest] = [0, 0, 0];
  for await (const { left, requests } of ledger.byUrgency(until, () => Math.max(FEWEST, limit - found.length))) {
    const due = dueFirst(await refreshRequests(requests, ports));
    found.push(...due.filter((request) => isWithin(request, until)));
    asked += requests.length;
    ended += requests.length - due.length;
    rest = left;
    if (found.length >= limit || (!isPatient && ended >= ENDED_AT_MOST)) break;
  }
  const due = dueFirst(found);
  return { requests: due.slice(0, limit), asked, left: rest + Math.max(0, due.length - limit) };
}

export function isWithin({ deadline, due, results_expire_at: expiry }: RequestOverview, until: number): boolean {
  const [last, lost] = [deadline, expiry].map((time) => parseIso(time) ?? Infinity);
  return deadline === null || Math.min(last ?? 0, due ? (lost ?? 0) : Infinity) <= until;
}
