// Finds the most urgent due requests in the whole ledger, with their current states.
import { deadlineFrom } from '../domain/dsr/deadlines.ts';
import { deadlineAfter, isPhaseDue, phaseAfter } from '../domain/dsr/ledger.ts';
import { dueFirst, type RequestOverview } from '../domain/dsr/overview.ts';
import { parseIso } from '../kernel/timestamps.ts';
import type { DsrPorts, LedgerPort } from './dsr-ports.ts';
import { refreshRequests } from './dsr-read.ts';

const FEWEST = 4;
/** A run stops after this many finished requests. The ledger records their new states, so the next run continues. */
const ENDED_AT_MOST = 1000;

/**
 * Returns the most urgent requests. A request that has ended, although the ledger does not know that yet, is replaced
 * by the next most urgent one, so the list never omits a request that is more urgent than one in it. `until`, in
 * milliseconds, is the last deadline that counts. `isPatient` continues after any number of finished requests. `asked`
 * counts the requests that were read from the platform, and `left` the others that are open in the ledger.
 */
export async function dueRequests(
  ledger: Pick<LedgerPort, 'byUrgency'>,
  { isPatient, limit, until }: { limit: number; until: number; isPatient: boolean },
  ports: DsrPorts,
) {
  const found: RequestOverview[] = [];
  let [asked, rest] = [0, 0];
  const wanted = (): number => Math.max(FEWEST, limit - found.length);
  for await (const { left, requests } of ledger.byUrgency(
    {
      phase: phaseAfter,
      isOpen: isPhaseDue,
      rank: (event, before) => {
        if (event.event === 'submitted') return deadlineFrom(event.regulation, event.submitted_time);
        return event.event === 'marked' ? deadlineAfter(before, event) : undefined;
      },
    },
    wanted,
  )) {
    const due = dueFirst(await refreshRequests(requests, ports));
    for (const request of due) if (deadlineAt(request) <= until) found.push(request);
    asked += requests.length;
    rest = left;
    // All following requests are less urgent.
    if (due.some((request) => deadlineAt(request) > until)) rest = 0;
    if (rest === 0 || found.length >= limit || (!isPatient && asked - found.length >= ENDED_AT_MOST)) break;
  }
  const due = dueFirst(found);
  return { requests: due.slice(0, limit), asked, left: rest + Math.max(0, due.length - limit) };
}

/** Infinity if there is no deadline. */
export function deadlineAt({ deadline }: RequestOverview): number {
  return parseIso(deadline ?? '') ?? Infinity;
}
