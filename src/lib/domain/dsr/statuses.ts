// Orders the statuses of a request. Responses and callbacks arrive in any order, but a status must never go backwards.

/** Ledger-only status: the platform rejected the request. Earlier versions wrote `refused`. */
export const REJECTED = 'rejected';
/** Ledger-only status: the request was not sent, or the platform still did not have it a day later. */
export const NOT_SUBMITTED = 'not_submitted';

const RANK: Readonly<Record<string, number>> = {
  [REJECTED]: 0,
  [NOT_SUBMITTED]: 0,
  refused: 0,
  pending: 1,
  in_progress: 2,
  completed: 3,
  cancelled: 3,
};
/** An unknown status comes after `in_progress` and before the final ones. */
const UNKNOWN_RANK = 2;

/** True if `next` comes after `current`; false for the same or an earlier status. */
export function isAdvance(current: string | undefined, next: string): boolean {
  if (current === undefined) return true;
  if (current === next) return false;
  const [from, to] = [rankOf(current), rankOf(next)];
  return to > from || (to === from && !Object.hasOwn(RANK, next));
}

export function isFinal(status: string): status is 'completed' | 'cancelled' {
  return status === 'completed' || status === 'cancelled';
}

/** True if the platform does not have the request. Such a request may be submitted again with the same id. */
export function isNotSubmitted(status: string | undefined): boolean {
  return status !== undefined && rankOf(status) === RANK[NOT_SUBMITTED];
}

/** True if the status can still change. Undefined means that the status is not yet known. */
export function isOpen(status: string | undefined): boolean {
  return status === undefined || (!isNotSubmitted(status) && !isFinal(status));
}

/** Returns whether a request reached `wanted` or never will; undefined if it still can. */
export function hasReached(status: string, wanted: string): 'reached' | 'impossible' | undefined {
  if (status === wanted) return 'reached';
  if (status === 'cancelled' || wanted === 'cancelled') return isFinal(status) ? 'impossible' : undefined;
  return Object.hasOwn(RANK, status) && rankOf(status) >= rankOf(wanted) ? 'reached' : undefined;
}

function rankOf(status: string): number {
  return Object.hasOwn(RANK, status) ? (RANK[status] ?? UNKNOWN_RANK) : UNKNOWN_RANK;
}
