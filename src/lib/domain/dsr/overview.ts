// A request as shown in lists and status: the platform's fields, and times derived from the ledger.
import * as z from 'zod/mini';
import { RequestStatusReply } from '../../contract/dsr.ts';
import { DSR_LIMITS } from '../../contract/limits.ts';
import { parseIso } from '../../kernel/timestamps.ts';
import { DAY_MS, daysLeft, isoOrNull } from './deadlines.ts';
import type { LedgerRequest } from './ledger.ts';
import { answeredAt, outcomeOf } from './outcome.ts';

/** Returns the schema: the platform's fields, then additional fields. Facts unknown to this machine are null. */
export function requestResult() {
  return z.extend(RequestStatusReply, {
    regulation: z.nullable(z.string()),
    subject_request_type: z.nullable(z.string()),
    submitted_time: z.nullable(z.string()),
    deadline: z.nullable(z.string()),
    due: z.boolean(),
    /** Whole days until the deadline, negative after it; null if the request is not due or has no deadline. */
    days_left: z.nullable(z.int()),
    overdue: z.boolean(),
    /** Whole days by which the request is or was late; zero if nothing proves that it was late. */
    days_late: z.int(),
    /** When the subject was answered, if this machine knows the time. */
    answered_at: z.nullable(z.string()),
    cancellable_until: z.nullable(z.string()),
    /** Approximate, because the platform does not report when a request was completed. */
    results_expire_at: z.nullable(z.string()),
    /** True if the platform could not be read, so the status is the last one that this machine saw. */
    stale: z.boolean(),
  });
}
export type RequestOverview = z.infer<ReturnType<typeof requestResult>>;

/** Smaller clock skew is ignored, because the time in a response is in whole seconds. */
const SAME_CLOCK_MS = 60_000;

/** The same moment on this machine's clock and on the platform's clock, in milliseconds since the epoch. */
export interface Clocks {
  now: number;
  platformNow: number;
}

export function overviewOf(
  reply: RequestStatusReply,
  known: LedgerRequest | undefined,
  clocks: Clocks,
): RequestOverview {
  const status = reply.request_status;
  const type = known?.subject_request_type;
  const received = parseIso(known?.received_time ?? known?.at);
  const { days_late, due } = outcomeOf({ id: reply.subject_request_id, states: [], ...known, status }, clocks.now);
  const dueAt = due ? parseIso(known?.deadline) : undefined;
  const hasNoResults = known?.no_results?.some(({ http_status: code }) => code === 404) === true;
  const hasResults = type !== 'erasure' && !hasNoResults && (Boolean(reply.results_url) || type !== undefined);
  const waitingDays = known?.skip_waiting_period ? 1 : DSR_LIMITS.waitingDays;
  // Only the waiting period of an erasure has a known length.
  const isWaiting = type === 'erasure' && status === 'pending' && received !== undefined;
  const completed = status === 'completed' && hasResults ? completedAt(reply, known, clocks) : undefined;
  return {
    ...reply,
    regulation: known?.regulation ?? null,
    subject_request_type: type ?? null,
    submitted_time: known?.submitted_time ?? null,
    deadline: known?.deadline ?? null,
    due,
    days_left: dueAt === undefined ? null : daysLeft(dueAt, clocks.now),
    overdue: due && days_late > 0,
    days_late,
    answered_at: known ? answeredAt(known) : null,
    cancellable_until: isoOrNull(isWaiting ? received + waitingDays * DAY_MS : undefined),
    results_expire_at: isoOrNull(completed && completed + DSR_LIMITS.resultsDays * DAY_MS),
    stale: false,
  };
}

/** Sorts by urgency, most urgent first; a request without a deadline comes last. */
export function byDeadline(a: RequestOverview, b: RequestOverview): number {
  return (a.deadline ?? '9999').localeCompare(b.deadline ?? '9999');
}

export function dueFirst(requests: readonly RequestOverview[]): RequestOverview[] {
  return requests.filter(({ due }) => due).sort(byDeadline);
}

/** Returns the latest possible time on the platform's clock; the platform does not report it (decision: D55). */
function completedAt(reply: RequestStatusReply, known: LedgerRequest | undefined, clocks: Clocks): number {
  const seen = parseIso(known?.states.find((state) => state.status === 'completed')?.at) ?? clocks.now;
  const expected = parseIso(reply.expected_completion_time) ?? Infinity;
  const ahead = clocks.platformNow - clocks.now;
  return Math.min(seen + (Math.abs(ahead) < SAME_CLOCK_MS ? 0 : ahead), expected);
}
