// What the law still waits for: the most urgent requests of the whole ledger, as the platform has them now.
import { deadlineFrom } from '../domain/dsr/deadlines.ts';
import { isPhaseDue, type LedgerEvent, phaseAfter } from '../domain/dsr/ledger.ts';
import { dueFirst, type RequestOverview } from '../domain/dsr/overview.ts';
import { parseIso } from '../kernel/timestamps.ts';
import type { DsrPorts, LedgerPort } from './dsr-ports.ts';
import { refreshRequests } from './dsr-read.ts';

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

export interface DueOptions {
  /** How many at most. */
  limit: number;
  /** Only those whose deadline is not after this; milliseconds since the epoch. */
  until?: number | undefined;
  /** Whether to continue however many turn out to have ended. */
  isPatient: boolean;
}

/**
 * The most urgent. The ledger may not know yet that a request has ended: others take its place, in order, so that
 * none is left out which is more urgent than one of these.
 */
export async function dueRequests(
  ledger: Pick<LedgerPort, 'byUrgency'>,
  { isPatient, limit, until = Infinity }: DueOptions,
  ports: DsrPorts,
): Promise<Due> {
  const found: RequestOverview[] = [];
  let [asked, rest] = [0, 0];
  const wanted = (): number => Math.max(FEWEST, limit - found.length);
  for await (const { left, requests } of ledger.byUrgency(
    { phase: phaseAfter, isOpen: isPhaseDue, rank: deadlineAfter },
    wanted,
  )) {
    const due = dueFirst(await refreshRequests(requests, ports));
    found.push(...due.filter((request) => deadlineAt(request) <= until));
    asked += requests.length;
    rest = left;
    // Those that follow are less urgent still.
    if (due.some((request) => deadlineAt(request) > until)) rest = 0;
    if (rest === 0 || found.length >= limit || (!isPatient && asked - found.length >= ENDED_AT_MOST)) break;
  }
  const due = dueFirst(found);
  return { requests: due.slice(0, limit), asked, left: rest + Math.max(0, due.length - limit) };
}

function deadlineAt({ deadline }: RequestOverview): number {
  return parseIso(deadline ?? '') ?? Infinity;
}

/** The deadline that an event sets. */
function deadlineAfter(event: LedgerEvent): number | undefined {
  if (event.event === 'submitted') return deadlineFrom(event.regulation, event.submitted_time);
  return event.event === 'marked' && event.extended !== undefined ? parseIso(event.extended) : undefined;
}
