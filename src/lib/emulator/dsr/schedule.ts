// Times of a data subject request on the platform's clock, in epoch milliseconds (decision: D140).
import type { DsrRequest } from '../../contract/dsr.ts';
import { DSR_LIMITS } from '../../contract/limits.ts';

const DAY_MS = 86_400_000;
const QUARTER_MS = DSR_LIMITS.callbackMinutes * 60_000;

/** Time from pick-up to completion. */
export const WORK_MS = 2 * DAY_MS;

/** Time for which results are available. */
export const RESULTS_MS = DSR_LIMITS.resultsDays * DAY_MS;

/** Returns the next quarter-hour, when callbacks, forwarding, and a pick-up without a waiting period are due. */
export function nextQuarter(time: number): number {
  return (Math.floor(time / QUARTER_MS) + 1) * QUARTER_MS;
}

/** Returns the time when the platform picks up a request. Erasures wait, unless they skip the waiting period. */
export function pickUpTime(request: DsrRequest, received: number): number {
  const waits = request.subject_request_type === 'erasure' && !skipsWaiting(request);
  return waits ? received + DSR_LIMITS.waitingDays * DAY_MS : nextQuarter(received);
}

function skipsWaiting({ extensions = {} }: DsrRequest): boolean {
  return Object.values(extensions).some((extension) => extension.skip_waiting_period === true);
}
