// The legal deadline of a request, and the days until it.
import { smallest } from '../../kernel/words.ts';
import { isoSeconds, parseIso } from '../../kernel/timestamps.ts';

export const DAY_MS = 86_400_000;
const CCPA_DAYS = 45;

export function isoOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : isoSeconds(ms);
}

/**
 * Returns the time (ms) by which a request must be answered: a month (GDPR) or 45 days (CCPA) after its submission. An
 * extension adds two months or 45 days. The earlier of the deadlines by the calendars of UTC and of `submittedTime`'s own
 * zone counts (decision: D55).
 */
export function deadlineFrom(regulation: string | undefined, submittedTime: string | undefined, isExtended = false) {
  const at = parseIso(submittedTime);
  if (at === undefined) return undefined;
  if (regulation === 'ccpa') return at + (isExtended ? 2 : 1) * CCPA_DAYS * DAY_MS;
  if (regulation !== 'gdpr') return undefined;
  const local = parseIso(submittedTime?.replace(/[+-]\d\d:?\d\d$/, 'Z')) ?? at;
  return smallest([at, local].map((start) => at - start + addMonths(start, isExtended ? 3 : 1)));
}

/** Returns the last legal day if an extension exceeds the legal limit; otherwise undefined (decision: D272). */
export function exceededLimit(
  { regulation, submitted_time: submitted }: { regulation?: string; submitted_time?: string },
  extended: string,
): string | undefined {
  const lastDay = isoOrNull(deadlineFrom(regulation, submitted, true))?.slice(0, 10);
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
