// When things happen in the life of a data subject request, by the platform's clock (decision: D140). Epoch milliseconds.
import type { DsrRequest } from '../../contract/dsr.ts';
import { DSR_LIMITS } from '../../contract/limits.ts';

const DAY_MS = 86_400_000;
const QUARTER_MS = DSR_LIMITS.callbackMinutes * 60_000;

/** How long the work on a request takes. */
export const WORK_MS = 2 * DAY_MS;

/** How long results can be fetched. */
export const RESULTS_MS = DSR_LIMITS.resultsDays * DAY_MS;

/** The first quarter of an hour after a time: when callbacks are sent, requests forwarded and picked up. */
export function nextQuarter(time: number): number {
  return (Math.floor(time / QUARTER_MS) + 1) * QUARTER_MS;
}

/** When the work on a request begins: an erasure waits unless it is told not to. */
export function pickUpTime(request: DsrRequest, received: number): number {
  const waits = request.subject_request_type === 'erasure' && !skipsWaiting(request);
  return waits ? received + DSR_LIMITS.waitingDays * DAY_MS : nextQuarter(received);
}

function skipsWaiting({ extensions = {} }: DsrRequest): boolean {
  return Object.values(extensions).some((extension) => extension.skip_waiting_period === true);
}
