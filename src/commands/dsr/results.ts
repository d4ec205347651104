// Schemas of results that several commands of data subject requests print.
import { boolean, enum as oneOf, extend, int, nullable, object, string } from 'zod/mini';
import { RequestStatusReply } from '../../lib/contract/dsr.ts';
import { CHECK_NAMES } from '../../lib/domain/callbacks/verify.ts';

/** A request as lists and status show it: `RequestOverview`. */
export function requestResult() {
  return extend(RequestStatusReply, {
    regulation: nullable(string()),
    subject_request_type: nullable(string()),
    submitted_time: nullable(string()),
    deadline: nullable(string()),
    due: boolean(),
    /** Negative after the deadline; null for what is not due. */
    days_left: nullable(int()),
    overdue: boolean(),
    answered_at: nullable(string()),
    cancellable_until: nullable(string()),
    results_expire_at: nullable(string()),
  });
}

/** One of the four checks of a callback. */
export function checkResult() {
  return object({ name: oneOf(CHECK_NAMES), ok: boolean(), detail: string() });
}
