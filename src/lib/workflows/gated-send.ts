// One request of a bulk run: sent once the gate lets it, and the gate is told what the answer says of the platform.
import { endingAs } from '../errors/exit.ts';
import { isServerTrouble } from '../contract/failures.ts';
import type { SendOutcome } from '../api/dsr.ts';
import type { Clock } from '../kernel/clock.ts';
import type { KnownError } from '../kernel/errors.ts';
import type { Gate } from '../bulk/gate.ts';
import type { Feedback } from '../domain/pacing/gate.ts';

export type Refused = Extract<SendOutcome<unknown>, { kind: 'refused' }>;

export interface GatedRequest<Body> {
  /** Whether it, or one in its place, was sent before. */
  isRepeat: boolean;
  /** How often requests of the same row or batch failed (5xx, or no response). */
  failures: number;
  /** A read that is answered with what cannot be read is over: it would only be answered so again. */
  isRead?: boolean;
  send(): Promise<SendOutcome<Body>>;
  /** Whether a refusal that no waiting will change ends the whole run, since every other request would meet it as well. */
  endsRun(refused: Refused): boolean;
}

/**
 * Resolves with any outcome that leaves the run going. Otherwise the gate lets nothing more go out, and this throws: the
 * failure of a refusal that ends the run, or whatever `send` threw.
 */
export async function sendThrough<Body>(
  gate: Gate,
  clock: Clock,
  request: GatedRequest<Body>,
): Promise<SendOutcome<Body>> {
  const pass = await gate.enter(request.isRepeat, request.failures);
  const startedAt = clock.now();
  const outcome = await request.send().catch((error: unknown) => {
    gate.stop(error);
    gate.leave(pass, { kind: 'none' });
    throw error;
  });
  const isEnd = outcome.kind === 'refused' && !mayPass(outcome) && request.endsRun(outcome);
  if (isEnd) gate.stop(outcome.failure);
  const restMs = gate.leave(
    pass,
    feedbackOf(outcome, clock.now() - startedAt, request.isRead === true),
    outcome.kind === 'accepted'
      ? undefined
      : outcome.kind === 'lost'
        ? lossIfAnswered(outcome.failure)
        : outcome.failure,
  );
  if (isEnd) throw outcome.failure;
  if (restMs > 0) await gate.rest(restMs);
  return outcome;
}

/** A response that proves nothing: a run that ends with it cannot tell which requests were carried out. */
function lossIfAnswered(failure: KnownError): KnownError {
  return failure.status === undefined ? failure : endingAs(failure, 'network');
}

/** 429 and 5xx: another time the answer may be another one. */
export function mayPass({ status }: Refused): boolean {
  return status === 429 || isServerTrouble(status);
}

function feedbackOf(outcome: SendOutcome<unknown>, ms: number, isRead: boolean): Feedback {
  if (outcome.kind === 'accepted') return { kind: 'answered', ms, slowDown: outcome.slowDown };
  if (outcome.kind === 'lost' && isRead && outcome.failure.status !== undefined)
    return { kind: 'answered', ms, slowDown: false };
  if (outcome.kind === 'lost') return { kind: 'trouble', permanent: outcome.permanent };
  const { retryAfterMs, status } = outcome;
  if (status === 429 || (status === 503 && retryAfterMs !== undefined)) return { kind: 'busy', retryAfterMs };
  return mayPass(outcome) ? { kind: 'trouble', permanent: false } : { kind: 'answered', ms, slowDown: false };
}
