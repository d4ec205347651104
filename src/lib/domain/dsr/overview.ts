// One request as lists and status show it: the platform's own object, and the times that follow from what the ledger knows.
import type { RequestStatusReply } from '../../contract/dsr.ts';
import { isoSeconds, parseIso } from '../../kernel/timestamps.ts';
import { cancellableUntil, daysLeft, resultsExpireAt } from './deadlines.ts';
import { answeredAt, deadlineOfRequest, isAnswered, isDue, type LedgerRequest } from './ledger.ts';

/** The platform's fields, then ours; ours are null where this machine did not submit the request. */
export type RequestOverview = RequestStatusReply & {
  regulation: string | null;
  subject_request_type: string | null;
  submitted_time: string | null;
  /** What the regulation demands, or what it was extended to. */
  deadline: string | null;
  /** Whether the subject still waits for it. */
  due: boolean;
  /** Whole days to the deadline, negative after it; null for what is not due. */
  days_left: number | null;
  overdue: boolean;
  /** When the subject got the answer, as far as this machine knows. */
  answered_at: string | null;
  cancellable_until: string | null;
  /** Nearly: the platform does not say when a request was completed. */
  results_expire_at: string | null;
};

/** Clocks that differ by less show the same time; an answer's own time has whole seconds. */
const SAME_CLOCK_MS = 60_000;

/** The same moment by our clock and by the platform's, in milliseconds since the epoch. */
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
  const facts = {
    regulation: known?.regulation,
    type: known?.subject_request_type,
    skipWaiting: known?.skip_waiting_period,
    submittedAt: timeOf(known?.submitted_time),
    receivedAt: timeOf(known?.received_time ?? known?.at),
    status,
    completedAt: completedAt(reply, known, clocks),
  };
  const deadline = known && deadlineOfRequest(known);
  const due = isDue(facts.type, status, known !== undefined && isAnswered(known));
  const dueAt = due ? timeOf(deadline) : undefined;
  const left = dueAt === undefined ? null : daysLeft(dueAt, clocks.now);
  return {
    ...reply,
    regulation: facts.regulation ?? null,
    subject_request_type: facts.type ?? null,
    submitted_time: known?.submitted_time ?? null,
    deadline: deadline ?? null,
    due,
    days_left: left,
    overdue: left !== null && left < 0,
    answered_at: (known && answeredAt(known)) ?? null,
    cancellable_until: isoOf(cancellableUntil(facts)),
    results_expire_at: isoOf(reply.results_url || facts.type !== undefined ? resultsExpireAt(facts) : undefined),
  };
}

/** Those that the law still waits for, the most urgent first. */
export function dueFirst(requests: readonly RequestOverview[]): RequestOverview[] {
  const urgency = ({ deadline }: RequestOverview): string => deadline ?? '9999';
  return requests
    .filter(({ due }) => due)
    .sort((a, b) => (urgency(a) < urgency(b) ? -1 : Number(urgency(a) > urgency(b))));
}

/**
 * When a completed request was so at the latest, by the platform's clock: before anybody saw it, and by the time that it
 * was expected. The platform itself does not say (decision: D55).
 */
function completedAt(reply: RequestStatusReply, known: LedgerRequest | undefined, clocks: Clocks): number | undefined {
  if (reply.request_status !== 'completed') return undefined;
  const seen = timeOf(known?.states.find((state) => state.status === 'completed')?.at) ?? clocks.now;
  const expected = timeOf(reply.expected_completion_time ?? undefined) ?? Infinity;
  const ahead = clocks.platformNow - clocks.now;
  return Math.min(seen + (Math.abs(ahead) < SAME_CLOCK_MS ? 0 : ahead), expected);
}

function timeOf(text: string | null | undefined): number | undefined {
  return text === null || text === undefined ? undefined : parseIso(text);
}

function isoOf(at: number | undefined): string | null {
  return at === undefined ? null : isoSeconds(at);
}
