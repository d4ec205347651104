// Times of a request: the legal deadline, the platform's window, and the end of the cancellation period.
import { smallest } from '../../kernel/words.ts';
import { isoSeconds, parseIso } from '../../kernel/timestamps.ts';
import { DSR_LIMITS } from '../../contract/limits.ts';

const DAY_MS = 86_400_000;
const CCPA_DAYS = 45;

/** Known facts about a request; times are in epoch milliseconds. */
export interface RequestFacts {
  type: string | undefined;
  skipWaiting: boolean | undefined;
  /** When the platform received the request, which starts the waiting period. */
  receivedAt: number | undefined;
  status: string | undefined;
  /** Approximate completion time. */
  completedAt: number | undefined;
}

/** An answer is due after a month (GDPR) or 45 days (CCPA). An extension adds two months or 45 days (decision: D55). */
export function deadlineOf(regulation: string | undefined, submittedAt: number, isExtended = false) {
  if (regulation === 'ccpa') return submittedAt + (isExtended ? 2 : 1) * CCPA_DAYS * DAY_MS;
  return regulation === 'gdpr' ? addMonths(submittedAt, isExtended ? 3 : 1) : undefined;
}

/** The earlier of the deadlines by the calendars of UTC and of `submittedTime`'s own zone counts (decision: D55). */
export function deadlineFrom(regulation: string | undefined, submittedTime: string | undefined, isExtended = false) {
  const at = parseIso(submittedTime);
  if (at === undefined) return undefined;
  // A damaged ledger may contain a value of another type, which is not a time.
  const local = parseIso(submittedTime?.replace(/[+-]\d\d:?\d\d$/, 'Z')) ?? at;
  const deadlines = [at, local].flatMap((start) => {
    const deadline = deadlineOf(regulation, start, isExtended);
    return deadline === undefined ? [] : at + deadline - start;
  });
  return deadlines.length === 0 ? undefined : smallest(deadlines);
}

/** Returns the last legal day if an extension exceeds the legal limit; otherwise undefined (decision: D272). */
export function exceededLimit(
  { regulation, submitted_time: submitted }: { regulation?: string; submitted_time?: string },
  extended: string,
): string | undefined {
  const longest = deadlineFrom(regulation, submitted, true);
  const lastDay = longest === undefined ? undefined : isoSeconds(longest).slice(0, 10);
  return lastDay !== undefined && extended.slice(0, 10) > lastDay ? lastDay : undefined;
}

/** One month after 31 January is the last day of February, not a day in March. */
function addMonths(at: number, months: number): number {
  const start = new Date(at);
  const result = new Date(at);
  result.setUTCMonth(start.getUTCMonth() + months);
  if (result.getUTCDate() !== start.getUTCDate()) result.setUTCDate(0);
  return result.getTime();
}

/** Returns the number of whole days until a deadline; -1 or less after it. */
export function daysLeft(deadline: number, now: number): number {
  const days = (deadline - now) / DAY_MS;
  return days < 0 ? Math.min(-1, Math.ceil(days)) : Math.floor(days);
}

/** Returns the number of whole days since a deadline: at least 1 after it, and 0 before it. */
export function daysLate(deadline: number, at: number): number {
  return Math.max(0, -daysLeft(deadline, at));
}

/** Returns the window in which an erasure completes, in days from receipt; undefined for other types. */
export function expectedDays(type: string | undefined, skipWaiting: boolean): { from: number; to: number } | undefined {
  if (type !== 'erasure') return undefined;
  return DSR_LIMITS.completionDays[skipWaiting ? 'skipped' : 'waiting'];
}

/** Undefined if it is too late, or if the time is unknown: only an erasure's waiting period has a known length. */
export function cancellableUntil(facts: RequestFacts): number | undefined {
  const { receivedAt, skipWaiting, status, type } = facts;
  if (type !== 'erasure' || receivedAt === undefined || status !== 'pending') return undefined;
  return receivedAt + (skipWaiting ? DAY_MS : DSR_LIMITS.waitingDays * DAY_MS);
}

/** Returns the time when results expire; only access and portability requests have results. */
export function resultsExpireAt({ completedAt, status, type }: RequestFacts): number | undefined {
  if (status !== 'completed' || type === 'erasure' || completedAt === undefined) return undefined;
  return completedAt + DSR_LIMITS.resultsDays * DAY_MS;
}
