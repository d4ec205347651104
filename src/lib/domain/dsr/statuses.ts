// How far a request has come, so that states from answers and callbacks, which arrive in any order, never go backwards.
const RANK: Readonly<Record<string, number>> = {
  // The ledger's own word for a request that the platform did not take.
  refused: 0,
  pending: 1,
  in_progress: 2,
  completed: 3,
  cancelled: 3,
};
/** A status that is not known yet lies somewhere on the way. */
const UNKNOWN_RANK = 2;

/** Whether `next` tells something new after `current`: an earlier status, or the same, does not. */
export function isAdvance(current: string | undefined, next: string): boolean {
  if (current === undefined) return true;
  if (current === next) return false;
  const [from, to] = [rankOf(current), rankOf(next)];
  return to > from || (to === from && !Object.hasOwn(RANK, next));
}

/** Whether nothing comes after it. */
export function isFinal(status: string): boolean {
  return status === 'completed' || status === 'cancelled';
}

/** Whether something is still to come of it: not of one that the platform did not take. Undefined is not known yet. */
export function isOpen(status: string | undefined): boolean {
  return status === undefined || (status !== 'refused' && !isFinal(status));
}

/** Whether a wait for `wanted` is over, as reached or as no longer possible. */
export function hasReached(status: string, wanted: string): 'reached' | 'impossible' | undefined {
  if (status === wanted) return 'reached';
  if (status === 'cancelled' || wanted === 'cancelled') return isFinal(status) ? 'impossible' : undefined;
  return Object.hasOwn(RANK, status) && rankOf(status) >= rankOf(wanted) ? 'reached' : undefined;
}

function rankOf(status: string): number {
  return Object.hasOwn(RANK, status) ? (RANK[status] ?? UNKNOWN_RANK) : UNKNOWN_RANK;
}
