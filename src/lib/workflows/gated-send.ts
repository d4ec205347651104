// Sends one request of a bulk run through the gate, and reports the response to the gate.
import { endingAs } from '../errors/fail.ts';
import { isServerTrouble } from '../contract/failures.ts';
import type { SendOutcome } from '../api/dsr.ts';
import type { Gate } from '../bulk/gate.ts';
import type { Feedback } from '../domain/pacing/gate.ts';

export type Rejected = Extract<SendOutcome<unknown>, { kind: 'rejected' }>;

export interface GatedRequest<Body> {
  isRepeat: boolean;
  /** Number of failed requests (5xx, or no response) for the same row or batch. */
  failures: number;
  /** True for a read. An unreadable response to a read is final, because a retry would return the same response. */
  isRead?: boolean;
  send(): Promise<SendOutcome<Body>>;
  /** True if a permanent rejection ends the whole run, because every other request would also be rejected. */
  endsRun(rejected: Rejected): boolean;
}

/** Resolves with the outcome. Stops the gate and throws if a rejection ends the run, or if `send` throws. */
export async function sendThrough<Body>(gate: Gate, request: GatedRequest<Body>) {
  const pass = await gate.enter(request.isRepeat, request.failures);
  const outcome = await request.send().catch((error: unknown) => {
    gate.stop(error);
    gate.leave(pass, { kind: 'none' });
    throw error;
  });
  const isEnd = outcome.kind === 'rejected' && !mayPass(outcome) && request.endsRun(outcome);
  if (isEnd) gate.stop(outcome.failure);
  const failure = outcome.kind === 'accepted' ? undefined : outcome.failure;
  // If the run gives up now, it ends with network (8), because the platform may have accepted the request.
  const isUnclear = outcome.kind === 'lost' && outcome.failure.status !== undefined;
  const feedback = feedbackOf(outcome, request.isRead === true);
  const pauseMs = gate.leave(pass, feedback, failure && isUnclear ? endingAs(failure, 'network') : failure);
  if (isEnd) throw outcome.failure;
  if (pauseMs > 0) await gate.pauseRow(pauseMs);
  return outcome;
}

/** True for a 429 or server trouble, because a retry may succeed. */
export const mayPass = ({ status }: Rejected): boolean => status === 429 || isServerTrouble(status);

function feedbackOf(outcome: SendOutcome<unknown>, isRead: boolean): Feedback {
  if (outcome.kind === 'accepted') return { kind: 'answered', slowDown: outcome.slowDown };
  if (outcome.kind === 'lost' && isRead && outcome.failure.status !== undefined)
    return { kind: 'answered', slowDown: false };
  if (outcome.kind === 'lost') return { kind: 'trouble', permanent: outcome.permanent };
  const { retryAfterMs, status } = outcome;
  if (status === 429 || (status === 503 && retryAfterMs !== undefined)) return { kind: 'busy', retryAfterMs };
  return mayPass(outcome) ? { kind: 'trouble', permanent: false } : { kind: 'answered', slowDown: false };
}
