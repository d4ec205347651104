// Determines when a request was answered or finished, how that is known, and whether it was on time. Lists, pages,
// status and evidence all use these rules.
import { largest } from '../../kernel/words.ts';
import { parseIso } from '../../kernel/timestamps.ts';
import { daysLate, deadlineFrom } from './deadlines.ts';
import type { LedgerEvent, LedgerRequest } from './ledger.ts';
import { isAdvance, isFinal, isNotSubmitted, isOpen } from './statuses.ts';

type Answer = Pick<LedgerRequest, 'answered' | 'answered_at'>;

/** The first answer counts until it is withdrawn. Events apply in file order, because a clock may be set back. */
export function answerAfter(before: Answer | undefined, event: LedgerEvent): Answer {
  const answered = isAnswer(event);
  if (answered === undefined || (answered && typeof before?.answered_at === 'string')) return {};
  return { answered, answered_at: answered && event.event !== 'state' ? event.at : null };
}

/** Returns undefined if the event does not concern the answer. */
function isAnswer(event: LedgerEvent): boolean | undefined {
  if (event.event === 'marked') return event.answered;
  // Versions that did not record the host did not record downloads either, so there may have been a download.
  const isOldCompletion = event.event === 'state' && event.status === 'completed' && event.host === undefined;
  return event.event === 'downloaded' || isOldCompletion ? true : undefined;
}

/** Returns the deadline in milliseconds. An extension counts only if recorded before the deadline (decision: D288). */
export function deadlineAfter(before: number | undefined, event: LedgerEvent): number | undefined {
  if (event.event === 'submitted') return deadlineFrom(event.regulation, event.submitted_time);
  if (event.event !== 'marked' || event.extended === undefined) return before;
  return before === undefined || (parseIso(event.at) ?? 0) <= before ? parseIso(event.extended) : before;
}

/** Returns a request's type, answer and status in one short string. A request that was not submitted starts over. */
export function phaseAfter(phase: string | undefined, event: LedgerEvent): string {
  const [type = '', answered = ''] = phase?.split(' ') ?? [];
  const before = statusIn(phase);
  const isAgain = event.event === 'submitted' && isNotSubmitted(before);
  const nextType = event.event === 'submitted' && (type === '' || isAgain) ? event.subject_request_type : type;
  const status = isAgain ? undefined : before;
  const news = 'status' in event ? event.status : undefined;
  const nextStatus = news !== undefined && isAdvance(status, news) ? news : status;
  return [nextType, isAnswer(event) ?? (isAgain ? '' : answered), nextStatus].join(' ');
}

/** Returns the status in a phase, which may contain spaces; undefined if the outcome of the request is unknown. */
export function statusIn(phase: string | undefined): string | undefined {
  return phase?.split(' ').slice(2).join(' ') || undefined;
}

export function isPhaseDue(phase: string | undefined): boolean {
  const [type, answered] = phase?.split(' ') ?? [];
  return isDue(type, statusIn(phase), answered === 'true');
}

/**
 * True while the subject waits: until the request is completed or cancelled or, for access and portability, until the
 * results are downloaded or the request is marked as answered. Such a mark is ignored for an erasure.
 */
export function isDue(type: string | undefined, status: string | undefined, answered: boolean | undefined): boolean {
  if (answered === true && type !== 'erasure') return false;
  return isOpen(status) || (status === 'completed' && (type === 'access' || type === 'portability'));
}

/** Returns when the subject was answered; null if this has not happened, or if this machine does not know the time. */
export function answeredAt({ answered_at: at, subject_request_type: type }: LedgerRequest): string | null {
  return (type === 'erasure' ? undefined : at) ?? null;
}

export interface Outcome {
  due: boolean;
  /** Null for a request that is due or was not submitted. */
  finished: 'answered' | 'completed' | 'cancelled' | null;
  /** Null if `finished` is null or the time is unknown. */
  finished_at: string | null;
  /** True if `finished_at` is only the time when this machine first saw the status. */
  is_first_seen: boolean;
  /** Null if the request was not submitted or is due but not late, or if nothing proves that it was on time or late. */
  deadline_met: boolean | null;
  /** Zero unless `deadline_met` is false. */
  days_late: number;
}

/** `now` is in milliseconds since the epoch. */
export function outcomeOf(request: LedgerRequest, now: number): Outcome {
  const due = isDue(request.subject_request_type, request.status, request.answered);
  const finish = due ? OPEN : finishOf(request);
  const deadline = parseIso(request.deadline);
  const until = due ? now : finishedBy(request, finish, deadline);
  const late = deadline === undefined || until === undefined ? 0 : daysLate(deadline, until);
  const isProven = deadline !== undefined && until !== undefined && (late > 0 || !due);
  return { due, ...finish, deadline_met: isProven ? late === 0 : null, days_late: late };
}

type Finish = Pick<Outcome, 'finished' | 'finished_at' | 'is_first_seen'>;
const OPEN: Finish = { finished: null, finished_at: null, is_first_seen: false };

/** If a request was both answered and cancelled, it finished at the earlier of the two times. */
function finishOf(request: LedgerRequest): Finish {
  const { answered, states, status, subject_request_type: type } = request;
  const ends: Finish[] = [];
  if (isNotSubmitted(status)) return OPEN;
  if (answered === true && type !== 'erasure')
    ends.push({ finished: 'answered', finished_at: answeredAt(request), is_first_seen: false });
  if (status !== undefined && isFinal(status) && !isDue(type, status, false)) {
    const { at = null, source = '' } = states.findLast((state) => state.status === status) ?? {};
    ends.push({ finished: status, finished_at: at, is_first_seen: source !== 'callback' && source !== 'cancel' });
  }
  const [first] = ends.sort((a, b) => (a.finished_at ?? '').localeCompare(b.finished_at ?? ''));
  return first ?? OPEN;
}

/**
 * Returns a time on the side of the deadline on which the request finished; undefined if nothing proves the side. The
 * platform does not report when a request was completed. If this machine first saw the completion after the deadline,
 * the request counts as late only if it was seen open after the deadline or expected to be open then (decision: D55).
 */
function finishedBy(
  { expected_completion_time: expected, states }: LedgerRequest,
  { finished, finished_at, is_first_seen }: Finish,
  deadline: number | undefined,
): number | undefined {
  const seen = parseIso(finished_at);
  if (seen === undefined || deadline === undefined || !is_first_seen || seen <= deadline) return seen;
  const wasOpenAt = states.filter(({ status }) => !isFinal(status)).map(({ at }) => parseIso(at) ?? 0);
  const expectedAt = finished === 'completed' ? Math.min(seen, parseIso(expected) ?? 0) : 0;
  const latest = largest([expectedAt, ...wasOpenAt]);
  return latest > deadline ? latest : undefined;
}
