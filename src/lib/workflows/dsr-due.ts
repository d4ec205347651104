// What the law still waits for: the most urgent requests of the whole ledger, as the platform has them now.
import { deadlineFrom } from '../domain/dsr/deadlines.ts';
import { dueFirst, type RequestOverview } from '../domain/dsr/overview.ts';
import { isOpen } from '../domain/dsr/statuses.ts';
import type { DsrPorts, LedgerNews, LedgerPort } from './dsr-ports.ts';
import { refreshRequests } from './dsr-read.ts';

type Submitted = Extract<LedgerNews, { event: 'submitted' }>;

export interface Due {
  /** The most urgent first. */
  requests: RequestOverview[];
  /** How many were asked for. */
  asked: number;
  /** Further ones that are open as far as the ledger knows. */
  left: number;
}

/** As many as are read at once anyway. */
const FEWEST = 4;
/** So many may turn out to have ended before a run gives up: what it has learned is written down, and the next goes on. */
const ENDED_AT_MOST = 1000;

/**
 * The `limit` most urgent. The ledger may not know yet that a request has ended: others take its place, in order, so that
 * none is left out which is more urgent than one of these.
 */
export async function dueRequests(ledger: Pick<LedgerPort, 'byUrgency'>, limit: number, ports: DsrPorts): Promise<Due> {
  const rank = (event: Submitted): number => deadlineFrom(event.regulation, event.submitted_time) ?? Infinity;
  const found: RequestOverview[] = [];
  let [asked, rest] = [0, 0];
  const wanted = (): number => Math.max(FEWEST, limit - found.length);
  for await (const { left, requests } of ledger.byUrgency({ isOpen, rank }, wanted)) {
    found.push(...dueFirst(await refreshRequests(requests, ports)));
    asked += requests.length;
    rest = left;
    if (found.length >= limit || asked - found.length >= ENDED_AT_MOST) break;
  }
  const due = dueFirst(found);
  return { requests: due.slice(0, limit), asked, left: rest + Math.max(0, due.length - limit) };
}
